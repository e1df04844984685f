import CaptureFixtures
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

/// The text of a diff.
final class DescriptionTests: XCTestCase {
  private func diff(_ builder: CaptureBuilder, scopes: Set<UInt32>? = nil, types: [String] = [])
    -> LiveObjects.Diff
  {
    let attribution = Attribution(scopes: scopes, pauses: 9)
    return LiveObjects.Diff(
      Survivors(in: builder.capture, passes: [0], attribution: attribution, types: types))
  }

  func testNothingLeftIsClean() {
    let diff = diff(CaptureBuilder())
    XCTAssertTrue(diff.isClean)
    XCTAssertTrue("\(diff)".contains("nothing of yours was left behind"), "\(diff)")
  }

  /// As under `liveobjects test`, where the process announces its tests.
  func testDiffInATestDoesNotMentionTests() {
    var builder = CaptureBuilder()
    builder.test("Demo.Suite/test") { builder, _ in builder.objects(of: builder.type("Demo.Loader")) }
    let text = "\(diff(builder))"
    XCTAssertTrue(text.hasPrefix("LiveObjects: 1 type of yours left 1 instance"), text)
  }

  func testTypeKindAndCountsAreNamed() {
    var builder = CaptureBuilder()
    builder.objects(3, of: builder.type("Demo.Loader"), bytes: 32)
    let text = "\(diff(builder))"
    for part in ["1 type of yours", "3 instances", "96 bytes", "Demo.Loader", "class"] {
      XCTAssertTrue(text.contains(part), "\(part) is missing in:\n\(text)")
    }
  }

  func testTypesOfTheToolchainAreListedSeparately() {
    var builder = CaptureBuilder()
    builder.objects(of: builder.type("Swift._ContiguousArrayStorage<Swift.Int>"))
    let diff = diff(builder)
    XCTAssertFalse(diff.isClean)
    XCTAssertTrue("\(diff)".contains("1 type left 1 instance"), "\(diff)")
  }

  func testUnattributedObjectsAreReported() {
    var builder = CaptureBuilder()
    builder.objects(2, of: builder.type("Demo.Loader"))
    let diff = diff(builder, scopes: [1])
    XCTAssertTrue(diff.isClean)
    XCTAssertEqual(diff.unattributed, 2)
    XCTAssertTrue("\(diff)".contains("2 more objects were allocated"), "\(diff)")
  }

  func testFilteredInstancesAreReported() {
    var builder = CaptureBuilder()
    builder.objects(2, of: builder.type("Demo.Importer"))
    let text = "\(diff(builder, types: ["Importr"]))"
    XCTAssertTrue(text.contains("2 more instances were left behind and not counted"), text)
    XCTAssertFalse("\(diff(builder, types: ["Importer"]))".contains("not counted"))
  }

  func testEveryErrorHasARemedy() {
    let reason = LiveObjects.TrackingError.cannotWatch(reason: "it has no hooks")
    XCTAssertTrue("\(reason)".contains("it has no hooks"))
    XCTAssertTrue("\(LiveObjects.TrackingError.notTracking)".contains("LiveObjects.start()"))
  }
}
