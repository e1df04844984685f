import Foundation
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class FoundationTests: XCTestCase {
  func testDeallocationsByFoundationAreRecorded() throws {
    try LiveObjects.start()
    let before = try missedDeallocations()
    for number in 0..<10 {
      let url: Any = try XCTUnwrap(URL(string: "http://localhost/\(number)"))
      XCTAssertNil(url as? NSDate)  // makes an NSURL to look at
    }
    XCTAssertEqual(try missedDeallocations(), before)
  }

  /// The property that holds it is a plain pointer.
  func testReferencesOfCoreFoundationAreFound() throws {
    try LiveObjects.start()
    let url = try XCTUnwrap(NSURL(string: "http://localhost/what-is-too-long-for-an-inline-string"))
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    let address = UInt64(UInt(bitPattern: Unmanaged.passUnretained(url).toOpaque()))
    let held = graph.references.filter { capture.objects[Int($0.source)].address == ObjectAddress(address) }
      .map { capture.types[capture.objects[Int($0.target)].type].name }
    XCTAssert(held.contains { $0.hasSuffix("String") }, "\(held)")
    withExtendedLifetime(url) {}
  }

  private func missedDeallocations() throws -> UInt64 {
    try Recorder.capture(since: 0, references: false).decoded().tracking.missedDeallocations
  }
}
