import Foundation
import Testing

@testable import LiveObjectsReport

private let reportFolder = ProcessInfo.processInfo.environment["WRITTEN_REPORTS"]

/// Writes reports for the scripts that check formats with other programs.
@Suite(.enabled(if: reportFolder != nil)) struct WrittenReports {
  @Test(arguments: ReportFormat.allCases) func writes(format: ReportFormat) throws {
    for (name, report) in [
      ("many", LargeReports.report(findings: 10_000)), ("hostile", HostileReport.report()),
      ("evil", FormatSamples.hostile), ("explained", FormatSamples.explained),
      ("tests", FormatSamples.tests), ("empty", FormatSamples.empty),
    ] {
      let file = "\(try #require(reportFolder))/\(name).\(format.rawValue)"
      let start = ContinuousClock.now
      let bytes = format.bytes(of: report)
      print("\(file): \(bytes.count) bytes in \(ContinuousClock.now - start)")
      try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
  }

  @Test func writesAnnotations() throws {
    let file = "\(try #require(reportFolder))/hostile.annotations"
    try Data(GitHubAnnotations.text(of: HostileReport.report()).utf8).write(to: URL(fileURLWithPath: file))
  }
}
