public import CoreMetrics
internal import LiveObjects

/// Publishes the live objects of the process by type, as gauges of swift-metrics.
///
/// ```swift
/// let gauges = LiveTypeGauges(interval: .seconds(15))
/// await gauges.run()
/// ```
///
/// | gauge | label | value |
/// |---|---|---|
/// | `liveobjects_live_instances` | `type` | live instances that were allocated since tracking started |
/// | `liveobjects_live_bytes` | `type` | the bytes that they asked for |
/// | `liveobjects_growth_instances` | `type` | live instances more than when `run` began; negative for fewer |
/// | `liveobjects_tracking` | | 1 while objects are tracked, else 0 |
/// | `liveobjects_dropped_records` | | objects that could not be recorded, for lack of memory |
/// | `liveobjects_missed_deallocations` | | objects that were deallocated unseen |
///
/// Only the types with the most bytes have gauges of their own; the others have one in common, with the type
/// `(other)`. The gauges of a type that leaves the largest are destroyed, so that the number of gauges never grows.
///
/// Tracking has to be on: by the preload library, or by `LiveObjects.start()`.
public struct LiveTypeGauges: Sendable {
  private let interval: Duration
  private let maximumTypes: Int
  private let factory: (any MetricsFactory)?

  /// - Parameters:
  ///   - interval: the time between two measurements, a second at least. Each reads a few numbers of every live
  ///     object.
  ///   - maximumTypes: the number of types that have gauges of their own.
  ///   - factory: makes the gauges; `nil` for that of `MetricsSystem`.
  public init(
    interval: Duration = .seconds(15), maximumTypes: Int = 20, factory: (any MetricsFactory)? = nil
  ) {
    self.interval = max(.seconds(1), interval)
    self.maximumTypes = max(0, maximumTypes)
    self.factory = factory
  }

  /// Publishes until the task is cancelled, then destroys the gauges and returns.
  ///
  /// The objects are counted on a thread of its own, so that no other task waits for it. With
  /// swift-service-lifecycle, call it in a service's `run()`, inside `cancelWhenGracefulShutdown`.
  public func run() async {
    // What the gauges need is none of the program's objects.
    var gauges = Recorder.ignoring {
      PublishedGauges(by: factory ?? MetricsSystem.factory, maximumTypes: maximumTypes)
    }
    while !Task.isCancelled {
      let (status, counts) = await OwnThread.run { (LiveObjects.status, (try? LiveObjects.counts()) ?? []) }
      Recorder.ignoring { gauges.publish(status, counts) }
      try? await Task.sleep(for: interval)
    }
    Recorder.ignoring { gauges.destroy() }
  }
}
