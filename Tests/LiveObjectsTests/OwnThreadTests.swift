import XCTest

@testable import LiveObjects

/// XCTests run one after the other, so that the process does nothing else.
final class OwnThreadTests: XCTestCase {
  @MainActor func testAnAsynchronousAssertionDoesItsWorkOnAnotherThread() async throws {
    let before = (
      thread: processorTime(CLOCK_THREAD_CPUTIME_ID), all: processorTime(CLOCK_PROCESS_CPUTIME_ID)
    )
    let measured = await LiveObjects.measure(LiveObjects.MeasurementOptions(), isolation: MainActor.shared) {
      makeRetainCycle()
    }
    XCTAssertEqual(try measured.diff.get().findings.map(\.verdict), [.retainCycle])
    let thread = processorTime(CLOCK_THREAD_CPUTIME_ID) - before.thread
    XCTAssertLessThan(thread * 2, processorTime(CLOCK_PROCESS_CPUTIME_ID) - before.all)
  }

  private func processorTime(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
