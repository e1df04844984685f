internal import CoreMetrics
internal import LiveObjectsCapture

/// The gauges that show whether the others are complete.
struct HealthGauges {
  private let tracking: Gauge
  private let droppedRecords: Gauge
  private let missedDeallocations: Gauge

  init(by factory: any MetricsFactory) {
    tracking = Gauge(label: "liveobjects_tracking", factory: factory)
    droppedRecords = Gauge(label: "liveobjects_dropped_records", factory: factory)
    missedDeallocations = Gauge(label: "liveobjects_missed_deallocations", factory: factory)
  }

  func publish(_ status: TrackingStatus) {
    tracking.record(status.state == .tracking ? 1 : 0)
    droppedRecords.record(status.droppedRecords)
    missedDeallocations.record(status.missedDeallocations)
  }

  func destroy() {
    for gauge in [tracking, droppedRecords, missedDeallocations] { gauge.destroy() }
  }
}
