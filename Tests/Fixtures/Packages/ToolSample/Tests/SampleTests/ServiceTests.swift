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
