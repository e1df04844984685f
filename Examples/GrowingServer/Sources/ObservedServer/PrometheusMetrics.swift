import CoreMetrics
import Synchronization

/// Keeps the values of gauges, and renders them in the text format of Prometheus. Servers use swift-prometheus; this one
/// has what the example needs.
final class PrometheusMetrics: MetricsFactory {
  private let gauges = Mutex<[ObjectIdentifier: GaugeValue]>([:])

  /// https://prometheus.io/docs/instrumenting/exposition_formats/
  var text: String {
    let families = Dictionary(grouping: gauges.withLock { Array($0.values) }, by: \.name)
    return families.sorted { $0.key < $1.key }.map { name, gauges in
      "# TYPE \(name) gauge\n" + gauges.map(\.line).sorted().joined()
    }.joined()
  }

  func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    let gauge = GaugeValue(name: label, labels: dimensions)
    gauges.withLock { $0[ObjectIdentifier(gauge)] = gauge }
    return gauge
  }

  func destroyRecorder(_ handler: any RecorderHandler) {
    _ = gauges.withLock { $0.removeValue(forKey: ObjectIdentifier(handler)) }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    NOOPMetricsHandler.instance
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    NOOPMetricsHandler.instance
  }

  func destroyCounter(_ handler: any CounterHandler) {}

  func destroyTimer(_ handler: any TimerHandler) {}
}

/// The last value of a gauge.
private final class GaugeValue: RecorderHandler {
  let name: String
  private let labels: String
  private let value = Mutex(0.0)

  init(name: String, labels: [(String, String)]) {
    self.name = name
    self.labels = labels.map { #"\#($0)="\#(Self.escaped($1))""# }.joined(separator: ",")
  }

  var line: String { "\(name){\(labels)} \(value.withLock { $0 })\n" }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) { self.value.withLock { $0 = value } }

  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\", "\"": "\\\(character)"
      case "\n": "\\n"
      default: String(character)
      }
    }.joined()
  }
}
