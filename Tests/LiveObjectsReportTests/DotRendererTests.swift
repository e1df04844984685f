import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct DotRendererTests {
  @Test func drawsTheReferenceToCutInRed() throws {
    var cycle = ExplainedFindings.cycle
    cycle.hint = Finding.Hint(
      .captureWeakly,
      at: [.init(kind: .closure, name: "closure #1 in Demo.Loader.load(completion:)", captured: "self")])
    let report = ExplainedFindings.report([cycle, ExplainedFindings.overRetained, ExplainedFindings.growth])
    try expectGolden(DotRenderer.render(report), "leaks.dot")
  }

  @Test func stringsEndWhereTheyShould() {
    let text = DotRenderer.render(HostileReport.report())
    let strings = /"(\\.|[^"\\])*"/.matchingSemantics(.unicodeScalar)
    let outside = text.replacing(strings, with: "s")
    #expect(!outside.contains("script") && !outside.contains("img") && !outside.contains("\""))
  }

  @Test func moreThanAHundredLeaksAreCounted() {
    let text = DotRenderer.render(LargeReports.report(findings: 1_000))
    #expect(text.components(separatedBy: "subgraph").count == 101)
    #expect(text.contains("… and 234 more leaks"))
  }
}
