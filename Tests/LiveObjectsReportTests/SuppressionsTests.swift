import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct SuppressionsTests {
  @Test(
    arguments: [
      ("leak:Loader", true), ("leak:^Demo.Loader$", true), ("leak:^oader", false), ("leak:Demo$", false),
      ("leak:Demo*load*tion:)", true), ("leak:ClientSpy", true), ("leak:makeSUT", true),
      ("leak:LoaderTests.swift$", true), ("leak:^DemoTests$", true), ("leak:*", true), ("leak:^*$", true),
      ("leak:Loader.*client", false), ("test:testLoad$", true), ("test:^Demo*LoaderTests/", true),
      ("test:Loader$", false), ("leak:testLoad$", false), ("leak:a*a*Loader", false),
    ])
  func patternsMatchAsLeakSanitizersDo(line: String, matches: Bool) throws {
    var finding = ExplainedFindings.cycle
    finding.test = "DemoTests.LoaderTests/testLoad"
    let suppressions = try Suppressions(parsing: Array(line.utf8))
    #expect((suppressions.rule(for: finding)?.text == line) == matches)
  }

  @Test func matchesAreCounted() throws {
    var report = ExplainedFindings.report()
    let lines = "# libraries\nleak:Demo.Loader\n\ntest:NoSuchTest\n"
    let suppressions = try Suppressions(parsing: Array(lines.utf8))
    _ = report.accept(AcceptedFindings(suppressions: suppressions), ranAllTests: true)
    let matched = report.findings.count { $0.acceptance == .suppression("leak:Demo.Loader") }
    #expect(matched > 0)
    #expect(report.accepted.suppressions.map(\.line) == [2, 4])
    #expect(report.accepted.suppressions.map(\.findings) == [matched, 0])
    #expect(!report.failingFindings.contains { $0.type == "Demo.Loader" })
  }

  @Test(arguments: ["leak:", "lek:x", "Loader", "leak :x"])
  func malformedLinesAreRejected(line: String) {
    #expect(throws: LineError(line: 2, expectation: "leak:PATTERN or test:PATTERN")) {
      try Suppressions(parsing: Array("# ok\n\(line)".utf8))
    }
  }
}
