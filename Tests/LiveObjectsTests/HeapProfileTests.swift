import LiveObjects
import XCTest

final class HeapProfileTests: XCTestCase {
  override func setUpWithError() throws {
    try LiveObjects.start()
  }

  func testProfileHasTheLiveObjectsAndTheirCalls() async throws {
    plant(Planted())
    let response = await LiveObjects.heapProfile()

    XCTAssertEqual(response.status, 200)
    XCTAssertEqual(response.headers["content-type"], "application/octet-stream")
    XCTAssertEqual(Array(response.body.prefix(2)), [0x1f, 0x8b])
    XCTAssertTrue(contains("LiveObjectsTests.Planted", response))
    XCTAssertTrue(contains("HeapProfileTests.testProfileHasTheLiveObjectsAndTheirCalls", response))
  }

  func testProfileOfSecondsHasTheGrowthOnly() async throws {
    plant(GenericPlanted(1))
    async let response = LiveObjects.heapProfile(query: "debug=0&seconds=1")
    try await Task.sleep(for: .milliseconds(300))
    plant(Planted())

    let profile = await response
    XCTAssertEqual(profile.status, 200)
    XCTAssertTrue(contains("LiveObjectsTests.Planted", profile))
    XCTAssertFalse(contains("LiveObjectsTests.GenericPlanted", profile))
  }

  func testProfileDoesNotContainItself() async throws {
    _ = await LiveObjects.heapProfile()
    let diff = try await LiveObjects.diff { _ = await LiveObjects.heapProfile() }
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testBadQueryIsRefused() async throws {
    for query in ["seconds=", "seconds=-1", "seconds=1.5", "seconds=3601", "seconds=99999999999999999999"] {
      let response = await LiveObjects.heapProfile(query: query)
      XCTAssertEqual(response.status, 400, query)
    }
  }

  func testConcurrentProfilesAreRefused() async throws {
    let statuses = await withTaskGroup(of: Int.self, returning: Set<Int>.self) { group in
      for _ in 0..<8 { group.addTask { await LiveObjects.heapProfile().status } }
      return await group.reduce(into: []) { $0.insert($1) }
    }
    XCTAssertTrue(statuses.contains(200))
    XCTAssertTrue(statuses.isSubset(of: [200, 503]), "\(statuses)")
    let status = await LiveObjects.heapProfile().status
    XCTAssertEqual(status, 200)
  }

  func testCancelledRequestEndsAtOnce() async throws {
    let request = Task { await LiveObjects.heapProfile(query: "seconds=3600") }
    request.cancel()
    let response = await request.value
    XCTAssertEqual(response.status, 503)
  }

  func testProfileWithoutTrackingIsRefused() async throws {
    LiveObjects.stop()
    let response = await LiveObjects.heapProfile()
    XCTAssertEqual(response.status, 503)
    XCTAssertTrue(String(decoding: response.body, as: UTF8.self).hasPrefix("Tracking is off."))
  }

  /// The profile is stored, not compressed: its strings can be found.
  private func contains(_ text: String, _ response: LiveObjects.HeapProfileResponse) -> Bool {
    String(decoding: response.body, as: UTF8.self).contains(text)
  }
}
