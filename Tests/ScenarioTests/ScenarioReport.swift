import Foundation
import TestSupport
import Testing

/// The report on one scenario.
struct ScenarioReport: Sendable {
  let tracking: JSONReport.Tracking
  let findings: [JSONReport.Finding]

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
    let report = try JSONReport(folder.bytes(of: "report"))
    (tracking, findings) = (report.tracking, report.findings)
  }

  /// Leaks, except those of the toolchain's libraries.
  var leaks: [JSONReport.Finding] { findings.filter(\.isLeak) }
}

extension JSONReport.Finding {
  /// Unreachable, as far as is decided, and not within the toolchain's libraries.
  var isLeak: Bool {
    let isUnreachable = ["retainCycle", "overRetained", "leakedTask", "lostBuffer"].contains(verdict)
    return isUnreachable && certainty != "undecided" && !libraryLeak
  }
}
