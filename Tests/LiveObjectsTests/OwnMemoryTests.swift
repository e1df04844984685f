import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class OwnMemoryTests: XCTestCase {
  /// What a diff knows of the objects lies in the memory that is searched for holders.
  func testNothingThatADiffRemembersLooksLikeAHolder() throws {
    let diff = try LiveObjects.diff { plant(GenericPlanted("remembered")) }
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    XCTAssertTrue(graph.status.wasRead)
    let planted = try XCTUnwrap(
      capture.objects.lastIndex { capture.types[$0.type].name.contains("GenericPlanted<Swift.String>") })
    XCTAssertEqual(graph.roots.filter { $0.target == planted }, [], "\(diff)")
  }
}
