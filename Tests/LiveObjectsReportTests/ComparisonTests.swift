import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct ComparisonTests {
  private func leak(_ fingerprint: String, in test: String? = nil, instances: Int = 1) -> Finding {
    var finding = ExplainedFindings.cycle
    (finding.fingerprint, finding.test, finding.instances) = (fingerprint, test, instances)
    return finding
  }

  private func compare(_ before: [Finding], _ after: [Finding]) throws -> (Report, Report.Comparison) {
    var report = ExplainedFindings.report(after)
    report.compare(with: ExplainedFindings.report(before))
    return (report, try #require(report.comparison))
  }

  private func text(_ report: Report, as format: ReportFormat = .text) -> String {
    String(decoding: format.bytes(of: report), as: UTF8.self)
  }

  @Test func findingsAreNewGoneGrownOrTheSame() throws {
    let (report, comparison) = try compare(
      [leak("a"), leak("b", instances: 2), leak("c", instances: 2), leak("d")],
      [leak("a"), leak("b", instances: 3), leak("c"), leak("e")])
    #expect(comparison.new.map(\.finding.fingerprint) == ["e"])
    #expect(comparison.gone.map(\.finding.fingerprint) == ["d"])
    #expect(comparison.grown.map(\.finding.fingerprint) == ["b"])
    #expect(comparison.grown.map { [$0.before, $0.after] } == [[2, 3]])
    #expect(comparison.same == 2)
    #expect(Set(report.findings.map(\.fingerprint)) == ["b", "e"])
    #expect(report.failingFindings.count == 2)
  }

  /// Whether the later report has seen everything.
  @Test func whatIsGoneIsInDoubtAfterAnIncompleteRun() {
    let earlier = ExplainedFindings.report([leak("a")])
    var (unwatched, incomplete) = (makeReport(), ExplainedFindings.report([]))
    incomplete.tracking.unwatchedProcesses = 1
    unwatched.compare(with: earlier)
    incomplete.compare(with: earlier)
    #expect(text(unwatched).hasPrefix("LiveObjects: NOTHING WAS WATCHED in the later run"))
    #expect(text(incomplete).hasPrefix("LiveObjects: the later recording is incomplete"))
  }

  @Test func otherFormatsSayThatOnlyNewLeaksCount() throws {
    let (report, _) = try compare([leak("a")], [leak("a")])
    #expect(text(report, as: .markdown).contains("no new leaks"))
    let read = try JSONReportReader.report(in: ReportFormat.json.bytes(of: report))
    #expect(TextRenderer().render(read).hasPrefix("LiveObjects: no new leaks"))
  }

  @Test func theSameLeakInAnotherTestIsNew() throws {
    let (_, comparison) = try compare([leak("a", in: "A")], [leak("a", in: "A"), leak("a", in: "B")])
    #expect(comparison.new.map(\.finding.test) == ["B"])
    #expect(comparison.same == 1)
  }

  @Test func casesOfAParameterisedTestAreOne() throws {
    var cases = [leak("a", in: "A"), leak("a", in: "A")]
    (cases[0].testCase, cases[1].testCase) = ("1", "2")
    let (report, comparison) = try compare([cases[0]], cases)
    #expect(comparison.grown.map { [$0.before, $0.after] } == [[1, 2]])
    #expect(report.findings.count == 2)
  }

  @Test func collectionsGrowByTheirElements() throws {
    var list = ExplainedFindings.heldByStatic
    (list.kind, list.elements, list.instances) = (.arrayStorage, 10, 1)
    var longer = list
    longer.elements = 25
    let (_, comparison) = try compare([list], [longer])
    #expect(comparison.grown.map { [$0.before, $0.after] } == [[10, 25]])
  }

  @Test func libraryLeaksDoNotCount() throws {
    let (report, comparison) = try compare([], [ExplainedFindings.libraryLeak])
    #expect(comparison.new.isEmpty && report.findings.isEmpty)
  }

  @Test func typesChangeByLiveInstances() throws {
    var before = ExplainedFindings.report([])
    var after = before
    before.types = [growth("Demo.A", 3), growth("Demo.B", 1)]
    after.types = [growth("Demo.A", 5), growth("Demo.B", 1), growth("Demo.C", 9)]
    after.compare(with: before)
    let types = try #require(after.comparison).types
    #expect(types.map { "\($0.type) \($0.before) \($0.after)" } == ["Demo.C 0 9", "Demo.A 3 5"])
  }

  @Test func theTextBeginsWithTheNumbers() throws {
    let (report, _) = try compare(
      [leak("a"), leak("d")], [leak("a", instances: 3), leak("e", in: "Demo.T/t")])
    let text = String(decoding: ReportFormat.text.bytes(of: report), as: UTF8.self)
    #expect(
      text == """
        LiveObjects: 1 new, 1 gone, 1 grown, 0 the same; 2 findings fail (--fail-on leaks)

        New:
          \(FindingText(leak("e")).lines.joined(separator: "\n  "))
            in Demo.T/t

        Grown:
          retain cycle: Demo.Loader  1 → 3

        Gone:
          retain cycle: Demo.Loader  1 → 0

        """)
  }

  @Test func anIncompleteEarlierReportIsNoted() throws {
    var report = ExplainedFindings.report([])
    report.compare(with: makeReport())
    #expect(report.notes.last?.hasPrefix("The earlier report is incomplete") == true)
    #expect(!report.isClean)
  }

  @Test func jsonHasTheComparisonAtItsEnd() throws {
    let (report, _) = try compare([leak("a")], [leak("e")])
    let json = JSONRenderer().render(report)
    let comparison = try #require(json.firstRange(of: "\n  \"comparison\": {"))
    #expect(json[comparison.upperBound...].contains("\"fingerprint\": \"e\""))
    #expect(JSONRenderer().render(ExplainedFindings.report()).hasSuffix("\n  \"comparison\": null\n}\n"))
  }

  private func growth(_ type: String, _ live: Int) -> TypeGrowth {
    TypeGrowth(type: type, kind: .classInstance, isUserDefined: true, live: live, growth: live, bytes: 0)
  }
}
