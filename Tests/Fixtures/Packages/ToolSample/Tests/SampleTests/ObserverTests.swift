import Sample
import XCTest

final class ObserverTests: XCTestCase {
  func testLeaves() {
    Leaky().start()
  }

  func testLeavesNothing() {
    XCTAssertNotNil(Tidy())
  }

  func testPrints() {
    print("printed by a test")
  }

  func testFails() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["SAMPLE_FAILS"] != nil)
    XCTFail("as it was asked to")
  }

  func testCrashes() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["SAMPLE_CRASHES"] != nil)
    fatalError("as it was asked to")
  }
}
