import LiveObjectsAnalysis
import LiveObjectsCapture
import MetricsTestKit
import Testing

@testable import LiveObjectsMetrics

@Suite("Gauges")
struct PublishedGaugesTests {
  private let metrics = TestMetrics()

  @Test("are those of the types with the most bytes, and of all others together")
  func largestTypes() throws {
    var gauges = PublishedGauges(by: metrics, maximumTypes: 2)
    gauges.publish(["A": (1, 10), "B": (2, 30), "C": (3, 20), "D": (4, 5)])

    #expect(types == ["B", "C", "(other)"])
    #expect(try value("live_instances", of: "B") == 2)
    #expect(try value("live_bytes", of: "C") == 20)
    #expect(try value("live_instances", of: "(other)") == 5)
    #expect(try value("live_bytes", of: "(other)") == 15)
  }

  @Test("count growth from the first measurement on")
  func growth() throws {
    var gauges = PublishedGauges(by: metrics, maximumTypes: 2)
    gauges.publish(["A": (5, 50), "B": (5, 5), "C": (9, 1)])
    gauges.publish(["A": (8, 80), "B": (3, 30)])

    #expect(try value("growth_instances", of: "A") == 3)
    #expect(try value("growth_instances", of: "B") == -2)
    #expect(try value("growth_instances", of: "(other)") == -9)
  }

  @Test("of a type that leaves the largest are destroyed")
  func leavingType() throws {
    var gauges = PublishedGauges(by: metrics, maximumTypes: 1)
    for round in 1...100 { gauges.publish(["T\(round)": (1, 2), "U": (1, 1)]) }

    #expect(types == ["T100", "(other)"])
  }

  @Test("tell that nothing is tracked, and then have no types")
  func untracked() throws {
    var gauges = PublishedGauges(by: metrics, maximumTypes: 1)
    gauges.publish(["A": (1, 1)])
    #expect(try value("tracking") == 1)
    gauges.publish(TrackingStatus(state: .ready), [])

    #expect(try value("tracking") == 0)
    #expect(types.isEmpty)
  }

  /// The types that have gauges.
  private var types: Set<String> { Set(metrics.recorders.compactMap { $0.dimensions.first?.1 }) }

  private func value(_ gauge: String, of type: String? = nil) throws -> Double? {
    try metrics.expectRecorder("liveobjects_\(gauge)", type.map { [("type", $0)] } ?? []).lastValue
  }
}

extension PublishedGauges {
  fileprivate mutating func publish(_ counts: [String: (instances: Int, bytes: Int)]) {
    let types = counts.map {
      TypeCount(type: $0, isUserDefined: true, instances: $1.instances, bytes: $1.bytes)
    }
    publish(TrackingStatus(state: .tracking), types.sorted { $1.bytes < $0.bytes })
  }
}
