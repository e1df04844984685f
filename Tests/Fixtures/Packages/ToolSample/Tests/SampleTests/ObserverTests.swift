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
    XCTFail("requested by the environment")
  }

  func testCrashes() throws {
    try XCTSkipUnless(ProcessInfo.processInfo.environment["SAMPLE_CRASHES"] != nil)
    fatalError("requested by the environment")
  }
}
