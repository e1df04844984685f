import LiveObjects
import XCTest

final class SnapshotTests: XCTestCase {
  override func setUpWithError() throws {
    try LiveObjects.start()
  }

  func testGrowthBetweenTwoSnapshots() throws {
    plant(Planted())
    let older = try LiveObjects.snapshot()
    makeRetainCycle()
    let newer = try LiveObjects.snapshot()
    plant(GenericPlanted(1))

    let growth = try newer.growth(since: older)
    XCTAssertEqual(growth.types.map(\.type), ["LiveObjectsTests.Planted"], "\(growth)")
    XCTAssertEqual(growth.instances(of: Planted.self), 2)
  }

  func testSnapshotsDoNotContainThemselves() throws {
    let older = try LiveObjects.snapshot()
    let newer = try LiveObjects.snapshot()
    let growth = try newer.growth(since: older)
    XCTAssertTrue(growth.isClean, "\(growth)")
  }

  func testDescriptionCountsTheLiveInstances() throws {
    let older = try LiveObjects.snapshot()
    let words = "\(older)".split(separator: " ")
    XCTAssertTrue("\(older)".hasPrefix("a snapshot of "), "\(older)")
    XCTAssertGreaterThan(try XCTUnwrap(Int(words[3])), 0)
    XCTAssertFalse("\(older)".contains("RawCapture"), "\(older)")
  }

  func testCountsAreThoseOfEachType() throws {
    let name = "LiveObjectsTests.Planted"
    let before = try LiveObjects.counts().first { $0.type == name }
    plant(Planted())
    let after = try XCTUnwrap(LiveObjects.counts().first { $0.type == name })
    XCTAssertEqual(after.instances, (before?.instances ?? 0) + 1)
    XCTAssertGreaterThan(after.bytes, before?.bytes ?? 0)
    XCTAssertTrue(after.isUserDefined)
    LiveObjects.stop()
    XCTAssertThrowsError(try LiveObjects.counts()) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .notTracking)
    }
  }

  func testGrowthSinceALaterSnapshotIsAnError() throws {
    let older = try LiveObjects.snapshot()
    makeRetainCycle()
    let newer = try LiveObjects.snapshot()
    XCTAssertThrowsError(try older.growth(since: newer)) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .snapshotsInWrongOrder)
    }
  }

  func testObjectsOfAStopAreCountedAsMissing() throws {
    let older = try LiveObjects.snapshot()
    let before = LiveObjects.status.droppedRecords
    LiveObjects.stop()
    for _ in 0..<10 { makeRetainCycle() }
    try LiveObjects.start()
    XCTAssertGreaterThanOrEqual(LiveObjects.status.droppedRecords, before + 10)
    let growth = try LiveObjects.snapshot().growth(since: older)
    XCTAssertFalse(growth.isClean)
    XCTAssertTrue("\(growth)".contains("LiveObjects.stop() was called"), "\(growth)")
  }

  func testSnapshotWithoutTrackingIsAnError() throws {
    LiveObjects.stop()
    XCTAssertThrowsError(try LiveObjects.snapshot()) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .notTracking)
    }
  }
}
