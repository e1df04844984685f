import Foundation
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class FoundationTests: XCTestCase {
  func testObjectsThatFoundationFreesItselfAreSeenToDie() throws {
    try LiveObjects.start()
    let before = try missedDeaths()
    for number in 0..<10 {
      let url: Any = try XCTUnwrap(URL(string: "http://localhost/\(number)"))
      XCTAssertNil(url as? NSDate)  // makes an NSURL to look at
    }
    XCTAssertEqual(try missedDeaths(), before)
  }

  private func missedDeaths() throws -> UInt64 {
    try Recorder.capture(since: 0, references: false).decoded().tracking.missedDeaths
  }
}
