import Foundation
import TestSupport
import Testing

/// The fields of a scenario's JSON report that the tests read.
struct ScenarioReport: Decodable, Sendable {
  struct Tracking: Decodable {
    var complete: Bool
    var notes: [String]
    var details: [String]
  }
  struct Step: Decodable {
    var type: String
    var reference: String
  }
  struct Frame: Decodable {
    var function: String?
    var file: String?
    var line: Int?
  }
  struct CallSite: Decodable {
    var frames: [Frame]
  }
  struct RetainingCallSite: Decodable {
    var retains: Int
    var releases: Int
    var frames: [Frame]
  }
  struct Hint: Decodable {
    struct Place: Decodable {
      var kind: String
      var name: String
      var captured: String?
      var file: String?
      var line: Int?
    }
    var action: String
    var text: String
    var places: [Place]
  }
  struct Finding: Decodable {
    var fingerprint: String
    var verdict: String
    var certainty: String
    var libraryLeak: Bool
    var type: String
    var instances: Int
    var objects: Int
    var elements: Int?
    var victims: Int
    var path: [Step]
    var allocatedAt: [CallSite]
    var retainedAt: [RetainingCallSite]
    var unexplainedRetains: Int
    var remarks: [String]
    var hint: Hint?
    var test: String?
    var `case`: String?

    /// Unreachable, as far as is decided, and not within the toolchain's libraries.
    var isLeak: Bool {
      let isUnreachable = ["retainCycle", "overRetained", "leakedTask", "lostBuffer"].contains(verdict)
      return isUnreachable && certainty != "undecided" && !libraryLeak
    }
  }
  struct Test: Decodable {
    var id: String
    var `case`: String?
  }
  var tracking: Tracking
  var tests: [Test]
  var findings: [Finding]

  private static let lock = NSLock()
  nonisolated(unsafe) private static var reports: [String: ScenarioReport] = [:]

  /// A report on the scenario, of one run for all tests that read it.
  static func shared(of scenario: String) throws -> ScenarioReport {
    if let known = lock.withLock({ reports[scenario] }) { return known }
    let report = try ScenarioReport(of: scenario)
    lock.withLock { reports[scenario] = report }
    return report
  }

  /// Runs one scenario under the preload library.
  ///
  /// - Parameters:
  ///   - program: a path; by default, the fixture of the tests' own build.
  ///   - options: added to `LIVEOBJECTS_OPTIONS`.
  init(of scenario: String, program: String? = nil, options: String = "verbosity=0") throws {
    let folder = try TemporaryFolder()
    let run = try runProgram(
      program ?? BuiltProducts.executable("Scenarios"), [scenario],
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary,
        "LIVEOBJECTS_OPTIONS": "output=\(folder.path("report")):format=json:\(options)",
      ])
    try #require(run.status == .exited(0), "\(run.status) \(run.standardError)")
    #expect(run.standardOutput.isEmpty && run.standardError.isEmpty, "\(run.standardError)")
    self = try JSONDecoder().decode(Self.self, from: Data(try folder.bytes(of: "report")))
  }

  /// Leaks, except those of the toolchain's libraries.
  var leaks: [Finding] { findings.filter(\.isLeak) }
}
