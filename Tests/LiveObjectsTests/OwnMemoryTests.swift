import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class OwnMemoryTests: XCTestCase {
  /// The decoded capture is in the memory that is scanned for references.
  func testDecodedCapturesContainNoConservativeReferences() throws {
    try LiveObjects.start()
    plant(GenericPlanted("remembered"))
    let before = try rootsOfPlanted(in: capture())
    let captures = try (0..<5).map { _ in try capture() }
    let after = try rootsOfPlanted(in: capture())
    // Other threads may leave stale pointers meanwhile.
    XCTAssertLessThan(after.subtracting(before).count, captures.count)
    withExtendedLifetime(captures) {}
  }

  private func capture() throws -> Capture {
    try Recorder.capture(since: 0, references: true).decoded()
  }

  private func rootsOfPlanted(in capture: Capture) throws -> Set<Root.Place> {
    let planted = try XCTUnwrap(
      capture.objects.lastIndex { capture.types[$0.type].name.contains("GenericPlanted<Swift.String>") })
    return Set(try XCTUnwrap(capture.graph).roots.filter { $0.target == planted }.map(\.place))
  }
}
