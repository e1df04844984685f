import LiveObjects
import XCTest

/// Errors and values of a diff's body, and the actor that it runs on.
final class BodyTests: XCTestCase {
  private func fail() throws(TypedError) { throw .expected }

  func testErrorOfTheBodyIsRethrown() {
    XCTAssertThrowsError(try LiveObjects.diff { try fail() }) {
      XCTAssertEqual($0 as? TypedError, .expected)
    }
  }

  func testErrorOfAnAsynchronousBodyIsRethrown() async {
    do {
      _ = try await LiveObjects.diff {
        await Task.yield()
        try fail()
      }
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertEqual(error as? TypedError, .expected)
    }
  }

  func testDiffAfterAnErrorIsAlone() throws {
    _ = try? LiveObjects.diff { try fail() }
    let done = DispatchSemaphore(value: 0)
    let diff = try LiveObjects.diff {
      Thread.detachNewThread {
        plant(Planted())
        done.signal()
      }
      done.wait()
    }
    XCTAssertEqual(diff.instances(of: Planted.self), 1)
  }

  func testThrowingBodyWithoutAnErrorReturnsValueAndDiff() throws {
    let result = try LiveObjects.diff { () throws -> Int in 42 }
    XCTAssertEqual(result.value, 42)
    XCTAssertTrue(result.diff.isClean)
  }

  func testADiffSaysThatTheReturnedValueIsAlive() throws {
    let note = "The value that the body returned is alive"
    let planted = try LiveObjects.diff { Planted() }
    withExtendedLifetime(planted.value) { XCTAssertTrue("\(planted.diff)".contains(note), "\(planted.diff)") }
    let number = try LiveObjects.diff { 42 }
    XCTAssertFalse("\(number.diff)".contains(note), "\(number.diff)")
  }

  func testNonthrowingBodyThrowsOnlyTrackingErrors() {
    do throws(LiveObjects.TrackingError) {
      let diff = try LiveObjects.diff { use(Planted()) }
      XCTAssertTrue(diff.isClean)
    } catch {
      XCTFail("\(error)")
    }
  }

  func testAsynchronousBodyReturnsValueAndDiff() async throws {
    let result = try await LiveObjects.diff { () async -> Planted in
      await Task.yield()
      return Planted()
    }
    XCTAssertEqual(result.diff.instances(of: Planted.self), 1)
  }

  @MainActor func testAsynchronousBodyRunsOnTheCallersActor() async throws {
    var runs = 0
    let diff = try await LiveObjects.diff(.init(warmUp: 2, iterations: 3)) {
      MainActor.assertIsolated()
      await Task.yield()
      runs += 1
    }
    XCTAssertEqual(runs, 5)
    XCTAssertTrue(diff.isClean, "\(diff)")
  }

  func testStopDuringTheBodyIsAnError() throws {
    XCTAssertThrowsError(try LiveObjects.diff { LiveObjects.stop() }) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .stoppedMeanwhile)
    }
    XCTAssertThrowsError(
      try LiveObjects.diff {
        LiveObjects.stop()
        try LiveObjects.start()
      }
    ) {
      XCTAssertEqual($0 as? LiveObjects.TrackingError, .stoppedMeanwhile)
    }
  }
}
