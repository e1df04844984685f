import Sample
import XCTest

final class ObserverTests: XCTestCase {
  func testLeaves() {
    if ProcessInfo.processInfo.environment["SAMPLE_IS_FIXED"] == nil { Leaky().start() }
  }

  func testLeavesNothing() {
    XCTAssertNotNil(Tidy())
  }

  func testPrints() {
    print("printed by a test")
    if ProcessInfo.processInfo.environment["SAMPLE_LEAKS_MORE"] != nil { Leaky().start() }
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
