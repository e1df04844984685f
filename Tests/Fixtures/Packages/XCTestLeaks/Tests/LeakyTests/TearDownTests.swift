import Leaky
import XCTest

/// The idiom of a system under test that every test makes anew.
final class TearDownTests: XCTestCase {
  private var sut: Coordinator!

  override func setUp() { sut = Coordinator() }
  override func tearDown() { sut = nil }

  func testSystemUnderTestStays() {
    sut.becomeDelegate()
  }

  func testSystemUnderTestGoes() {}
}

final class MendedTearDownTests: XCTestCase {
  private var sut: MendedCoordinator!

  override func setUp() { sut = MendedCoordinator() }
  override func tearDown() { sut = nil }

  func testSystemUnderTestGoes() {
    sut.becomeDelegate()
  }
}

/// Broken by hand in time.
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

/// The system under test goes, and something else stays.
final class UnrelatedLeakTests: XCTestCase {
  private var sut: Token?

  override func setUp() { sut = Token() }
  override func tearDown() { sut = nil }

  func testSomethingElseStays() {
    sut?.use()
    let loader = Loader()
    loader.observe()
  }
}

/// Kept by somebody who was never told to forget.
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
