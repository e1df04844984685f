import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct MergingTests {
  private func leak(_ fingerprint: String, in test: String, instances: Int = 1) -> Finding {
    var finding = ExplainedFindings.cycle
    (finding.fingerprint, finding.test, finding.instances) = (fingerprint, test, instances)
    return finding
  }

  private func shard(_ findings: [Finding], tests: [String]) -> Report {
    var report = ExplainedFindings.report(findings)
    report.tests = tests.map { id in
      Report.Test(
        id: id, testCase: nil, library: .xctest, outcome: .passed, evaluation: .complete,
        findings: findings.filter { $0.test == id }.map(\.fingerprint))
    }
    return report
  }

  @Test func equalFindingsOfOneTestAreOne() {
    let merged = Report.merging([
      shard([leak("c1", in: "A", instances: 2)], tests: ["A"]),
      shard([leak("c1", in: "A"), leak("c1", in: "B"), leak("c2", in: "A")], tests: ["A", "B"]),
    ])
    let found = Set(merged.findings.map { "\($0.fingerprint) \($0.test ?? "") \($0.instances)" })
    #expect(found == ["c1 A 3", "c1 B 1", "c2 A 1"])
    #expect(merged.tests.map(\.id) == ["A", "B"])
    #expect(merged.tests.map(\.findings) == [["c1", "c2"], ["c1"]])
    #expect(merged.processes.count == 2)
  }

  @Test func aReportIsIncompleteIfOneOfThemIs() {
    let unwatched = makeReport()
    let whole = shard([], tests: ["A"])
    #expect(Report.merging([whole, whole]).isClean)
    for reports in [[whole, unwatched], [unwatched, whole]] {
      let merged = Report.merging(reports)
      #expect(!merged.tracking.isComplete)
      #expect(!merged.tracking.readReferences)
      #expect(merged.tracking.wasWatched)
    }
  }

  @Test func whatWasNotWatchedIsNotEvaluated() {
    let whole = shard([], tests: ["A"])
    for reports in [[whole, makeReport()], [makeReport(), whole]] {
      let merged = Report.merging(reports)
      #expect(merged.status == 3)
      #expect(merged.tracking.evaluationFailure?.contains("one of the reports: nothing was watched") == true)
    }
  }

  @Test func memoryThatOneOfThemDidNotReadIsMissing() {
    let whole = shard([], tests: ["A"])
    var missing = whole
    missing.tracking.missesRoots = true
    for reports in [[whole, missing], [missing, whole]] {
      #expect(TextRenderer().render(Report.merging(reports)).contains("but not all memory could be read"))
    }
  }

  @Test func typesAreAddedUp() {
    let report = LeakingProgram().report()
    let merged = Report.merging([report, report])
    #expect(merged.types.map(\.live) == report.types.map { $0.live * 2 })
    #expect(merged.notes == report.notes)
  }

  @Test func mergedAnalysesMakeTheSameReport() {
    let program = LeakingProgram()
    let captures = (0..<3).map { _ in
      var options = Analysis.Options()
      options.findsCallSitesOfTypes = true
      let capture = program.builder.capture
      return (capture, Analysis(of: capture, symbolicator: program.symbolicator, options: options))
    }
    let expected = ReportFormat.json.bytes(of: Report(of: captures))

    var analyses = captures.map(\.1)
    var others = Array(analyses.dropFirst())
    analyses[0].merge(&others)
    let merged = Report(of: zip(captures, [analyses[0]] + others).map { ($0.0, $1) })
    #expect(ReportFormat.json.bytes(of: merged) == expected)
    #expect(others.allSatisfy { $0.findings.isEmpty && $0.types.isEmpty })
  }
}
