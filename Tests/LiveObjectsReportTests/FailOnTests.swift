import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct FailOnTests {
  @Test(
    arguments: [
      (.leaks, [.retainCycle, .overRetained, .leakedTask, .lostBuffer]),
      (.undecided, [.retainCycle, .overRetained, .leakedTask, .lostBuffer, .growth]),
      (.held, [.retainCycle, .overRetained, .leakedTask, .lostBuffer, .heldBy, .growth]),
      (.growth, [.retainCycle, .overRetained, .leakedTask, .lostBuffer, .heldBy, .growth, .growth]),
      (.none, []),
    ] as [(FailOn, [Finding.Verdict])])
  func eachChoiceIncludesThoseBeforeIt(failOn: FailOn, verdicts: [Finding.Verdict]) {
    #expect(makeReportWithEveryVerdict().findings.filter(failOn.includes).map(\.verdict) == verdicts)
  }

  /// Whether its type is the program's or a dependency's.
  @Test func leaksOfADependencyFail() {
    var report = makeReportWithEveryVerdict()
    for index in report.findings.indices { report.findings[index].dependency = "swift-nio" }
    #expect(
      report.findings.filter(FailOn.growth.includes).map(\.verdict) == [
        .retainCycle, .overRetained, .leakedTask, .lostBuffer,
      ])
  }

  @Test(arguments: FailOn.allCases)
  func libraryLeaksNeverFail(failOn: FailOn) {
    var report = makeReportWithEveryVerdict()
    for index in report.findings.indices { report.findings[index].isLibraryLeak = true }
    #expect(report.findings.filter(failOn.includes).isEmpty)
  }

  @Test(arguments: FailOn.allCases)
  func knownIssuesNeverFail(failOn: FailOn) {
    var report = makeReportWithEveryVerdict()
    for index in report.findings.indices { report.findings[index].acceptance = .knownIssue }
    #expect(report.findings.filter(failOn.includes).isEmpty)
  }

  @Test func isSpelledAsOnTheCommandLine() {
    #expect(FailOn.allCases.map(\.rawValue) == ["leaks", "undecided", "held", "growth", "none"])
  }

  private func makeReportWithEveryVerdict() -> Report {
    var report = makeReport(of: CaptureBuilder())
    report.findings = Finding.Verdict.allCases.map {
      Finding(
        fingerprint: $0.rawValue, verdict: $0, type: "Demo.A", kind: .classInstance, instances: 1, objects: 1,
        bytes: 32)
    }
    var undecided = report.findings[5]
    undecided.certainty = .undecided
    report.findings.insert(undecided, at: 5)
    return report
  }
}
