import Leaky
import XCTest

/// Idiom: `setUp` creates the system under test for each test.
final class TearDownTests: XCTestCase {
  private var sut: Coordinator!

  override func setUp() { sut = Coordinator() }
  override func tearDown() { sut = nil }

  func testSystemUnderTestStaysAlive() {
    sut.becomeDelegate()
  }

  func testSystemUnderTestIsDeallocated() {}
}

final class FixedTearDownTests: XCTestCase {
  private var sut: FixedCoordinator!

  override func setUp() { sut = FixedCoordinator() }
  override func tearDown() { sut = nil }

  func testSystemUnderTestIsDeallocated() {
    sut.becomeDelegate()
  }
}

/// Cycles that the test's teardown breaks.
final class BrokenCycleTests: XCTestCase {
  private var loader: Loader!

  override func setUpWithError() throws { loader = Loader() }

  override func tearDownWithError() throws {
    loader.handler = nil
    loader = nil
  }

  func testCycleIsBrokenInTearDown() {
    loader.observe()
  }

  func testCycleIsBrokenInATeardownBlock() {
    let other = Loader()
    other.observe()
    addTeardownBlock { other.handler = nil }
  }
}

/// The system under test is deallocated, and another object leaks.
final class UnrelatedLeakTests: XCTestCase {
  private var sut: Token?

  override func setUp() { sut = Token() }
  override func tearDown() { sut = nil }

  func testAnotherObjectLeaks() {
    sut?.use()
    let loader = Loader()
    loader.observe()
  }
}

/// A global variable holds the system under test.
final class RegisteredTests: XCTestCase {
  private lazy var sut: Token? = Token()

  override func tearDown() { sut = nil }

  func testStaysRegistered() {
    Registry.tokens.append(sut!)
  }
}

private enum Registry {
  nonisolated(unsafe) static var tokens: [Token] = []
}
