import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct MarkdownRendererTests {
  /// What GitHub accepts as a summary.
  private static let limit = 1 << 20

  @Test func showsLeaksAndCountsTheRest() throws {
    try expectGolden(MarkdownRenderer.render(ExplainedFindings.report()), "explained.md")
  }

  @Test func leavesOutWhatHasNoRoom() {
    let text = MarkdownRenderer.render(LargeReports.report(findings: 10_000))
    #expect(text.utf8.count < Self.limit)
    #expect(text.components(separatedBy: "<details>").count == 26)
    #expect(text.contains("* `retain cycle: Demo.Type"))
    #expect(text.contains("more leaks, which this summary has no room for"))
  }

  @Test func longNamesAreCut() {
    var finding = ExplainedFindings.cycle
    finding.type = String(repeating: "é", count: 10_000)
    finding.path = (0..<1_000).map { _ in .init(type: finding.type, reference: finding.type) }
    finding.remarks = (0..<16).map { _ in finding.type }
    let leaks = (0..<30).map { index in
      var leak = finding
      leak.fingerprint = "\(index)"
      return leak
    }
    #expect(MarkdownRenderer.render(ExplainedFindings.report(leaks)).utf8.count < Self.limit)
  }

  @Test(
    arguments: [
      ("plain", "`plain`"), ("a`b", "``a`b``"), ("``", "``` `` ```"), ("", ""), ("a\nb", "`a\\u{a}b`"),
      ("`\u{301}", "`` `\u{301} ``"),
    ])
  func aCodeSpanHasALongerFence(name: String, span: String) {
    #expect(("\(code: name)" as MarkdownText).text == span)
  }

  @Test func textIsEscaped() {
    let name = "<b> *a* [x](y) @me $x$ www.a.b \\ `"
    let text: MarkdownText = "\(name)"
    #expect(text.text == #"\<b\> \*a\* \[x\](y) \@me \$x\$ www\.a\.b \\ \`"#)
    #expect(("\("#1")" as MarkdownText).text == "\\#1")
    #expect(("\("[\u{301}x]\u{301}")" as MarkdownText).text == "\\[\u{301}x\\]\u{301}")
  }

  @Test func mermaidLabelsHaveNoPunctuationOfTheLanguage() throws {
    for name in HostileReport.names {
      var finding = ExplainedFindings.cycle
      finding.path = [.init(type: name, reference: name)]
      let graph = try #require(PathGraph(of: finding)).mermaid
      let labels = graph.matches(of: /"([^"]*)"/).map(\.1)
      #expect(labels.count == 2, "\(graph)")
      #expect(labels.allSatisfy { !$0.contains { "<>[]{}|`&\n".contains($0) } })
    }
  }
}
