import Leaky
import XCTest

/// A leak belongs to the test that made it, and to no later one.
final class OrderTests: XCTestCase {
  func testA_leavesNothing() {
    let loader = Loader()
    loader.observeWeakly()
  }

  // Or the optimiser copies it into code that SwiftPM wrote.
  @inline(never) func testB_leaks() {
    let loader = Loader()
    loader.observe()
  }

  func testC_leavesNothingEither() {
    let coordinator = MendedCoordinator()
    coordinator.becomeDelegate()
  }
}

/// What a test inherits is reported where it is written.
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
