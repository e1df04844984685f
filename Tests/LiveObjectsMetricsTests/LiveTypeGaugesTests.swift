import LiveObjects
import LiveObjectsMetrics
import MetricsTestKit
import Testing

@Suite("Live objects of this process")
struct LiveTypeGaugesTests {
  @Test("are published until the task is cancelled")
  func published() async throws {
    try LiveObjects.start()
    let ballast = (1...1000).map(Ballast.init)
    let metrics = TestMetrics()
    let task = Task { await LiveTypeGauges(interval: .milliseconds(10), factory: metrics).run() }

    var instances: Double?
    while instances == nil {
      try await Task.sleep(for: .milliseconds(10))
      instances =
        metrics.recorders.first { $0.label == "liveobjects_live_instances" && $0.isOfBallast }?.lastValue
    }
    #expect(instances == 1000)
    withExtendedLifetime(ballast) {}

    task.cancel()
    await task.value
    #expect(metrics.recorders.isEmpty)
  }
}

/// Large enough to be among the types with the most bytes.
private final class Ballast: Sendable {
  let numbers: (Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)

  init(_ number: Int) {
    numbers = (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  }
}

extension TestRecorder {
  fileprivate var isOfBallast: Bool { dimensions.first?.1.contains("Ballast") ?? false }
}
