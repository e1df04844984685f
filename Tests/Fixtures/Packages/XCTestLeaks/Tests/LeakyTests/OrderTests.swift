import Leaky
import XCTest

/// A leak is attributed to the test that allocated it, and not to a later one.
final class OrderTests: XCTestCase {
  func testA_leavesNothing() {
    let loader = Loader()
    loader.observeWeakly()
  }

  // Otherwise the optimiser copies it into code that SwiftPM generated.
  @inline(never) func testB_leaks() {
    let loader = Loader()
    loader.observe()
  }

  func testC_leavesNothingEither() {
    let coordinator = FixedCoordinator()
    coordinator.becomeDelegate()
  }
}

/// A failure of an inherited test is reported at its declaration.
class SharedTests: XCTestCase {
  func testInherited() {
    let loader = Loader()
    loader.observe()
  }
}

final class InheritingTests: SharedTests {
  func testOwn() {}
}

/// A test that runs another one, as those of a test library do.
final class NestingTests: XCTestCase {
  func testLeaksAndRunsAnother() {
    let loader = Loader()
    loader.observe()
    InnerTests(name: "testInner") { _ in }.run()
  }
}

private final class InnerTests: XCTestCase {}
