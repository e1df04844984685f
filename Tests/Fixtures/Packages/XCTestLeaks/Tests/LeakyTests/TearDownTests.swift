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
