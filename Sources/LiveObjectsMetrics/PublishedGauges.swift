internal import CoreMetrics
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

/// The gauges that exist, and their values.
struct PublishedGauges {
  private static let otherTypes = "(other)"

  private let factory: any MetricsFactory
  private let maximumTypes: Int
  /// The gauges that show whether the others are complete.
  private let health: [(gauge: Gauge, value: (TrackingStatus) -> UInt64)]
  private var types: [String: TypeGauges] = [:]
  /// The instances of the first measurement.
  private var baseline: [String: Int]?

  init(by factory: any MetricsFactory, maximumTypes: Int) {
    self.factory = factory
    self.maximumTypes = maximumTypes
    let health: [(String, (TrackingStatus) -> UInt64)] = [
      ("tracking", { $0.state == .tracking ? 1 : 0 }), ("dropped_records", \.droppedRecords),
      ("missed_deallocations", \.missedDeallocations),
    ]
    self.health = health.map { (Gauge(label: "liveobjects_\($0)", factory: factory), $1) }
  }

  /// - Parameter counts: of the live objects, most bytes first.
  mutating func publish(_ status: TrackingStatus, _ counts: [TypeCount]) {
    for (gauge, value) in health { gauge.record(value(status)) }
    guard status.state == .tracking else { return publish([:]) }
    let first = baseline ?? Dictionary(counts.map { ($0.type, $0.instances) }, uniquingKeysWith: +)
    baseline = first
    publish(values(of: counts, since: first))
  }

  /// The largest types, and the sums of all others.
  private func values(of counts: [TypeCount], since first: [String: Int]) -> [String: TypeGauges.Values] {
    let gone = Set(first.keys).subtracting(counts.map(\.type)).map {
      TypeCount(type: $0, isUserDefined: false, instances: 0, bytes: 0)
    }
    var values = [Self.otherTypes: TypeGauges.Values()]
    for (index, count) in (counts + gone).enumerated() {
      values[index < maximumTypes ? count.type : Self.otherTypes, default: TypeGauges.Values()]
        .add(count, growth: count.instances - (first[count.type] ?? 0))
    }
    return values
  }

  private mutating func publish(_ values: [String: TypeGauges.Values]) {
    for (type, gauges) in types where values[type] == nil {
      gauges.destroy()
      types[type] = nil
    }
    for (type, values) in values {
      let gauges = types[type] ?? TypeGauges(of: type, by: factory)
      types[type] = gauges
      gauges.publish(values)
    }
  }

  mutating func destroy() {
    publish([:])
    for (gauge, _) in health { gauge.destroy() }
  }
}

/// The gauges of one type.
struct TypeGauges {
  struct Values: Equatable {
    private(set) var instances = 0
    private(set) var bytes = 0
    private(set) var growth = 0

    mutating func add(_ count: TypeCount, growth: Int) {
      instances += count.instances
      bytes += count.bytes
      self.growth += growth
    }
  }

  private let instances: Gauge
  private let bytes: Gauge
  private let growth: Gauge

  init(of type: String, by factory: any MetricsFactory) {
    let label = [("type", type)]
    instances = Gauge(label: "liveobjects_live_instances", dimensions: label, factory: factory)
    bytes = Gauge(label: "liveobjects_live_bytes", dimensions: label, factory: factory)
    growth = Gauge(label: "liveobjects_growth_instances", dimensions: label, factory: factory)
  }

  func publish(_ values: Values) {
    instances.record(values.instances)
    bytes.record(values.bytes)
    growth.record(values.growth)
  }

  func destroy() {
    for gauge in [instances, bytes, growth] { gauge.destroy() }
  }
}
