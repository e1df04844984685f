import Foundation
import LiveObjectsCapture
import TestSupport
import Testing

extension Exactness {
  @Suite struct SampledTracesTests {
    private static let runs = 10
    private static let sampleBytes = 64.0

    @Test("with a sample of the stack traces, counts are exact and estimates right on average")
    func estimates() throws {
      var sums: [String: Estimate] = [:]
      for _ in 0..<Self.runs {
        for (kind, estimate) in try Self.estimatesOfSurvivors() {
          #expect(estimate.isPlausible, "\(kind): \(estimate)")
          sums[kind, default: Estimate()].add(estimate)
        }
      }
      for (kind, estimate) in sums { #expect(estimate.isPlausible, "\(kind): \(estimate)") }
      let all = sums.values.reduce(into: Estimate()) { $0.add($1) }
      #expect(all.traces < 0.9 * all.exact)
    }

    @Test("estimates over ten runs of short-lived threads are within three percent")
    func threads() throws {
      var sum = Estimate()
      for _ in 0..<Self.runs {
        let capture = try WatchedRun("ThreadStorm", ["4", "2", "1000", "5000"], watching: Self.watching)
          .capture
        let survivors = capture.objects.filter { capture.types[$0.type].name == "ThreadStorm.Survivor" }
        let estimate = Estimate(of: survivors, Self.sampleBytes)
        #expect(estimate.exact == 20_000)
        #expect(estimate.isPlausible, "\(estimate)")
        sum.add(estimate)
      }
      #expect(sum.isPlausible, "\(sum)")
      #expect(sum.tolerance < 0.03 * sum.exact)
    }

    @Test("the report has exact counts and says which numbers are estimates")
    func report() throws {
      let (report, _) = try JSONReport.of("ThreadStorm", ["4", "2", "1000", "5000"], options: "sample=1K")
      let findings = report.findings.filter { $0.type == "ThreadStorm.Survivor" }
      let sites = findings.flatMap(\.allocatedAt)
      #expect(findings.map(\.instances).reduce(0, +) == 20_000)
      #expect(!sites.isEmpty)
      #expect(sites.allSatisfy { $0.estimated == true && $0.frames.first?.function == "leaveSurvivors(_:)" })
      // 24 bytes each: 463 with a stack trace are expected, so half as many are ten standard deviations off.
      #expect((10_000...30_000).contains(sites.map(\.instances).reduce(0, +)))
      #expect(report.tracking.notes.contains { $0.contains("Stack traces are a sample, one for 1.0 KB") })
    }

    private static var watching: Watching {
      var watching = Watching.asDefault
      watching.sampleBytes = Int(sampleBytes)
      return watching
    }

    private static func estimatesOfSurvivors() throws -> [String: Estimate] {
      let run = try WatchedRun("Survivors", watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      #expect(capture.tracking.sampleBytes == UInt64(sampleBytes))
      return try Planted.truth(of: run.program).reduce(into: [:]) { estimates, planted in
        let objects = planted.objects(in: capture)
        #expect(objects.count == planted.count, "\(planted)")
        estimates[planted.kind] = Estimate(of: objects, sampleBytes)
      }
    }
  }
}

/// A number of objects, and its estimate from those with a stack trace.
private struct Estimate {
  private(set) var exact = 0.0
  private(set) var estimated = 0.0
  private(set) var traces = 0.0
  private var variance = 0.0
  /// The most that one object can change the estimate.
  private var greatestWeight = 0.0

  init() {}

  init(of objects: [LiveObject], _ sampleBytes: Double) {
    for object in objects {
      let probability = 1 - exp(-Double(object.bytes) / sampleBytes)
      exact += 1
      estimated += object.stackTrace == 0 ? 0 : 1 / probability
      traces += object.stackTrace == 0 ? 0 : 1
      variance += (1 - probability) / probability
      greatestWeight = max(greatestWeight, 1 / probability)
    }
  }

  mutating func add(_ other: Estimate) {
    exact += other.exact
    estimated += other.estimated
    traces += other.traces
    variance += other.variance
    greatestWeight = max(greatestWeight, other.greatestWeight)
  }

  /// More than six standard deviations: by Bernstein's inequality, an unbiased estimate is beyond with a
  /// probability of less than 5 · 10⁻⁹, however few objects there are.
  var tolerance: Double { (40 * variance).squareRoot() + 40 / 3 * greatestWeight }

  var isPlausible: Bool { abs(estimated - exact) <= tolerance }
}
