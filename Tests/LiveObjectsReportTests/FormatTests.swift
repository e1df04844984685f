import CaptureFixtures
import Foundation
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

/// `scripts/checks/formats` validates what `WrittenReports` writes with other tools.
@Suite struct FormatTests {
  /// One sample of each format, with a leak that has a hint, retains and a remark, and is accepted; other files have
  /// those that people read, with a finding of every verdict.
  @Test(arguments: [
    (ReportFormat.json, "explained.json"), (.sarif, "explained.sarif"), (.folded, "explained.folded"),
    (.speedscope, "explained.speedscope.json"), (.pprof, "explained.pb"),
  ])
  func formatsAreAsExpected(format: ReportFormat, file: String) throws {
    var report = FormatSamples.explained
    var finding = report.findings[0]
    let other = report.findings[1]
    (finding.retainedAt, finding.unexplainedRetains) = (other.retainedAt, other.unexplainedRetains)
    (finding.remarks, finding.acceptance) = (other.remarks, other.acceptance)
    report.findings = [finding]
    try expectGolden(format.bytes(of: report), file)
  }

  @Test func testsAreAsExpectedInJUnit() throws {
    try expectGolden(ReportFormat.junit.bytes(of: FormatSamples.tests), "tests.xml")
  }

  @Test(arguments: Set(ReportFormat.allCases).subtracting([.pprof]))
  func noTextHasControlCharacters(format: ReportFormat) throws {
    let text = String(decoding: format.bytes(of: FormatSamples.hostile, text: .everything), as: UTF8.self)
    #expect(text.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" })
  }

  // MARK: - Profiles

  @Test func profilesHaveAllObjectsAndBytes() {
    for report in [FormatSamples.tests, FormatSamples.explained] {
      let samples = CallSiteProfile(of: report).samples
      #expect(samples.reduce(0) { $0 + $1.objects } == report.findings.reduce(0) { $0 + $1.objects })
      #expect(samples.reduce(0) { $0 + $1.bytes } == report.findings.reduce(0) { $0 + $1.bytes })
    }
  }

  @Test func collapsedStacksBeginWithTheTestAndEndWithTheType() {
    let lines = FoldedRenderer().render(FormatSamples.tests).split(separator: "\n")
    #expect(
      lines.contains(
        "DemoTests.LoaderTests/test1;LoaderTests.test1() LoaderTests.swift:1;makeSUT() Support.swift:4;Demo.Client 4"
      ))
  }

  @Test func hostileNamesDoNotAddFramesOrStacks() {
    let lines = FoldedRenderer().render(FormatSamples.hostile).split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines[0].count { $0 == ";" } == 3)
    #expect(lines[0].hasSuffix(" 2"))
  }

  // MARK: - JUnit

  @Test func everyTestIsACase() throws {
    let xml = JUnitRenderer().render(FormatSamples.tests)
    #expect(xml.components(separatedBy: "<testcase ").count - 1 == FormatSamples.tests.tests.count + 1)
    #expect(xml.components(separatedBy: "<failure ").count - 1 == 7)
    #expect(xml.components(separatedBy: "<skipped ").count - 1 == 1)
    #expect(xml.contains(#"<testcase classname="DemoTests.LoaderTests" name="testNothing"/>"#))
  }

  @Test func whatWasNotWatchedIsNoSuccess() {
    #expect(JUnitRenderer().render(FormatSamples.empty).contains("<error type=\"notEvaluated\""))
  }

  @Test func aTestThatAnAssertionFailedIsNoSuccess() throws {
    var report = FormatSamples.tests
    let index = try #require(report.tests.firstIndex { $0.id == "DemoTests.LoaderTests/testNothing" })
    report.tests[index].outcome = .leaked
    #expect(JUnitRenderer().render(report).contains("An assertion of the test failed because of a leak."))
  }

  @Test func acceptedFindingsFailNoCase() {
    var report = FormatSamples.tests
    for index in report.findings.indices { report.findings[index].acceptance = .baseline }
    #expect(!JUnitRenderer().render(report).contains("<failure"))
  }

  // MARK: - SARIF

  @Test func levelsFollowTheChoiceOfFindings() throws {
    var report = FormatSamples.tests
    #expect(try Set(levels(report)) == ["error"])
    report.run.failOn = FailOn.none
    #expect(try Set(levels(report)) == ["warning"])
  }

  /// GitHub refuses a file with a result that has no place in the source. The hostile findings have none.
  @Test(
    arguments: zip(
      [FormatSamples.tests, FormatSamples.explained, FormatSamples.hostile], [true, true, false]))
  func allResultsHavePlaces(report: Report, hasResults: Bool) throws {
    let results = try results(report)
    #expect(results.isEmpty == !hasResults)
    for result in results {
      let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
      let artifact = location?["artifactLocation"] as? [String: Any]
      #expect((artifact?["uri"] as? String)?.isEmpty == false)
    }
  }

  @Test func acceptedFindingsAreSuppressed() throws {
    let kinds = try results(FormatSamples.explained).map { result in
      (result["suppressions"] as? [[String: Any]])?.first?["kind"] as? String
    }
    #expect(Set(kinds) == ["inSource", "external", nil])
  }

  @Test func pathsAreRelativeAndEncoded() throws {
    let uris = try results(FormatSamples.explained).compactMap { result -> String? in
      let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
      return (location?["artifactLocation"] as? [String: Any])?["uri"] as? String
    }
    #expect(uris.first == "Demo/a%20b%23%3F.swift")
  }

  private func levels(_ report: Report) throws -> [String] {
    try results(report).compactMap { $0["level"] as? String }
  }

  private func results(_ report: Report) throws -> [[String: Any]] {
    let json = try JSONSerialization.jsonObject(with: Data(ReportFormat.sarif.bytes(of: report)))
    let run = try #require(((json as? [String: Any])?["runs"] as? [[String: Any]])?.first)
    return try #require(run["results"] as? [[String: Any]])
  }

  // MARK: - JSON

  @Test func jsonHasTheDecision() throws {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(ReportFormat.json.bytes(of: FormatSamples.tests)))
        as? [String: Any])
    let summary = try #require(json["summary"] as? [String: Any])
    #expect(summary["fails"] as? Bool == true)
    #expect(summary["status"] as? Int == 1)
    #expect(["leaks", "leakingTests", "tests"].map { summary[$0] as? Int } == [2, 6, 10])
    let failing = try #require(summary["failing"] as? [[String: String]])
    #expect(failing.map { $0["reason"] } == ["leaks", "leaks"])
    #expect(failing.allSatisfy { $0["fingerprint"]?.isFingerprint == true })
    let frames = String(decoding: ReportFormat.json.bytes(of: FormatSamples.tests), as: UTF8.self)
    #expect(frames.contains("\"file\": \"Tests/Support.swift\""))
  }
}
