import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct ReportFilterTests {
  /// Six tests left a loader behind, one of them also a session, and two cases an entry of a cache.
  private let all = TestedPackage.report()

  private func restricted(
    tests: [String] = [], types: [String] = [], verdicts: [Finding.Verdict] = []
  ) -> Report {
    var report = all
    report.restrict(to: ReportFilter(tests: tests, types: types, verdicts: verdicts))
    return report
  }

  @Test func withoutPatternsEverythingStays() {
    let report = restricted()
    #expect(report.findings == all.findings)
    #expect(report.notes == all.notes)
  }

  @Test func testsThatDoNotMatchAreLeftOut() {
    let report = restricted(tests: ["LoaderTests/test2$"])
    #expect(report.tests.map(\.id) == ["DemoTests.LoaderTests/test2"])
    #expect(Set(report.findings.map(\.test)) == ["DemoTests.LoaderTests/test2"])
    #expect(report.findings.count == 2)
    #expect(!report.types.isEmpty)
    #expect(Set(report.types.map(\.type)).isSubset(of: report.findings.map(\.type)))
  }

  @Test func withoutAMatchOnlyTheSelectionIsFreeOfLeaks() {
    #expect(
      TextRenderer().render(restricted(types: ["Nope"])).hasPrefix("LiveObjects: no leaks match the filter "))
  }

  /// Else a misspelt pattern would be green in CI.
  @Test func patternsThatMatchNoTestAreMistakes() {
    let filter = ReportFilter(tests: ["Nope*", "LoaderTests/test2$"], types: ["Nope"], verdicts: [])
    let tests = Set(all.tests.map(\.id)).count
    #expect(filter.mistakes(in: all) == ["--test Nope* matches none of \(tests) tests"])
    #expect(
      TextRenderer().render(restricted(tests: ["Nope*"])).hasPrefix("LiveObjects: no leaks match the filter ")
    )
  }

  @Test func typesOnThePathMatch() {
    let report = restricted(types: ["^Demo.Cl*t$"])
    #expect(Set(report.findings.map(\.verdict)) == [.retainCycle])
    #expect(report.findings.allSatisfy { $0.path.contains { $0.type == "Demo.Client" } })
    #expect(!report.findings.isEmpty)
    #expect(report.types.map(\.type) == ["Demo.Client"])
    #expect(report.tests.count == all.tests.count)
  }

  @Test func verdictsAreLeftOutAlsoFromTests() throws {
    let report = restricted(verdicts: [.heldBy])
    #expect(Set(report.findings.map(\.verdict)) == [.heldBy])
    let loading = try #require(report.tests.first { $0.id == "DemoTests.LoaderTests/test2" })
    #expect(loading.findings.isEmpty)
  }

  @Test func onlyMatchingFindingsFail() {
    #expect(!all.failingFindings.isEmpty)
    #expect(restricted(verdicts: [.heldBy]).failingFindings.isEmpty)
  }

  @Test func theReportSaysThatItIsRestricted() {
    let report = restricted(tests: ["none"], types: ["x"], verdicts: [.growth])
    #expect(
      report.notes.last
        == "The report is restricted: of \(all.findings.count) findings 0 match --test none --type x --verdict growth."
    )
    #expect(!report.isClean)
  }
}
