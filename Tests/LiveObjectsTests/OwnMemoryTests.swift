import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class OwnMemoryTests: XCTestCase {
  /// What is known of the objects lies in the memory that is searched for their holders.
  func testDecodedCapturesHoldNoWordsThatLookLikeHolders() throws {
    try LiveObjects.start()
    plant(GenericPlanted("remembered"))
    let before = try rootsOfPlanted(in: capture())
    let captures = try (0..<5).map { _ in try capture() }
    let after = try rootsOfPlanted(in: capture())
    // Other threads may leave a word or two of their own meanwhile.
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
