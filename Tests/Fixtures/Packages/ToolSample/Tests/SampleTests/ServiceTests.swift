import Foundation
import Sample
import Testing

@Suite struct ServiceTests {
  @Test func leaves() {
    Leaky().start()
  }

  @Test func leavesNothing() {
    _ = Tidy()
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["SAMPLE_WAITS"] != nil))
  func waits() async throws {
    try await Task.sleep(for: .seconds(60))
  }
}

/// A leak that is gone when the process ends.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["SAMPLE_ENDS_CLEAN"] != nil))
struct FirstTests {
  nonisolated(unsafe) private static var left: Unmanaged<Leaky>?

  @Test func leavesForTheNext() {
    let leaky = Leaky()
    leaky.start()
    Self.left = .passUnretained(leaky)
  }

  @Test func stopsWhatIsLeft() {
    Self.left?.takeUnretainedValue().stop()
  }
}
