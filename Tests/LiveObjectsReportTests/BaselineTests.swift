import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture
@testable import LiveObjectsReport

@Suite struct BaselineTests {
  private func leak(_ fingerprint: String = "00000000000000c1", test: String? = "Demo.A/test") -> Finding {
    var finding = ExplainedFindings.cycle
    (finding.fingerprint, finding.test) = (fingerprint, test)
    return finding
  }

  private func report(_ findings: [Finding], tests: [String] = ["Demo.A/test"]) -> Report {
    var report = ExplainedFindings.report(findings)
    report.tests = tests.map {
      Report.Test(
        id: $0, testCase: nil, library: .xctest, outcome: .passed, evaluation: .complete, findings: [])
    }
    return report
  }

  private func accept(_ report: inout Report, _ lines: String, ranAllTests: Bool = true) throws -> [String] {
    let accepted = AcceptedFindings(baseline: try Baseline(parsing: Array(lines.utf8)))
    return report.accept(accepted, ranAllTests: ranAllTests).map(\.line)
  }

  @Test func findingsOfTheBaselineFailNothing() throws {
    var report = report([leak(), leak(test: "Demo.B/test"), leak(test: nil)])
    _ = try accept(&report, "# known\n\n00000000000000c1\tDemo.A/test\r\n00000000000000c1\t-\tany text\n")
    #expect(report.findings.map(\.acceptance) == [.baseline, nil, .baseline])
    #expect(report.failingFindings.map(\.test) == ["Demo.B/test"])
  }

  @Test func anAsteriskStandsForEveryTest() throws {
    var report = report([leak(), leak(test: nil), leak("00000000000000c2")])
    _ = try accept(&report, "00000000000000c1\t*")
    #expect(report.failingFindings.map(\.fingerprint) == ["00000000000000c2"])
  }

  @Test func aKnownIssueStaysOne() throws {
    var known = leak()
    known.acceptance = .knownIssue
    var report = report([known])
    _ = try accept(&report, "00000000000000c1\t*")
    #expect(report.findings.map(\.acceptance) == [.knownIssue])
  }

  @Test func entriesWithoutFindingsAreStaleIfTheirTestsRan() throws {
    var report = report([leak()], tests: ["Demo.A/test", "Demo.B/test"])
    let lines = ["A/test", "B/test", "Gone/test"].map { "00000000000000c1\tDemo.\($0)" }
    let others = ["00000000000000c2\t*", "00000000000000c2\t-"]
    let file = (lines + others).joined(separator: "\n")
    #expect(try accept(&report, file, ranAllTests: false) == [lines[1]])
    #expect(try accept(&report, file) == [lines[1]] + others)
    #expect(report.accepted.staleEntries == [lines[1]] + others)
  }

  @Test func entriesOfTestsThatWereNotEvaluatedAreNotStale() throws {
    var report = report([], tests: ["Demo.A/test"])
    report.tests[0].evaluation = .notWanted
    #expect(try accept(&report, "00000000000000c1\tDemo.A/test").isEmpty)
  }

  @Test func aLineOfAProbableFindingIsNeverStale() throws {
    var probable = leak()
    probable.certainty = .probable
    let text = Baseline(of: report([probable]), failOn: .leaks).text
    #expect(text.contains("\tprobable retainCycle Demo."))
    var gone = report([])
    #expect(try accept(&gone, text).isEmpty)
  }

  /// A task that nothing resumes may look held by an old word in another run.
  @Test func aLineIsNotStaleIfTheTestLeftTheTypeBehindUnderAnotherVerdict() throws {
    let text = Baseline(of: report([leak()]), failOn: .leaks).text
    var held = leak("00000000000000d1")
    held.verdict = .heldBy
    var doubtful = report([held])
    #expect(try accept(&doubtful, text).isEmpty)
    held.test = "Demo.B/test"
    var elsewhere = report([held])
    #expect(try accept(&elsewhere, text).count == 1)
  }

  @Test func aLineIsStaleIfOtherLinesAreAboutTheRemainingObjects() throws {
    let both = report([leak(), leak("00000000000000c2")])
    let text = Baseline(of: both, failOn: .leaks).text
    var one = report([leak("00000000000000c2")])
    #expect(try accept(&one, text).count == 1)
  }

  /// The verdict depends on a word that may be old.
  @Test func oneLineIsAboutAnObjectThatIsOverRetainedOrGrowth() throws {
    let reports = [false, true].map { hasWord -> Report in
      var builder = CaptureBuilder()
      let symbolicator = TableSymbolicator()
      symbolicator.define(0x10, [.user("makeLoader()", line: 3)])
      let loader = builder.object(
        of: builder.type("Demo.Loader"), stackTrace: builder.stackTrace([0x10]), strongCount: 2)
      builder.heapGraph()
      if hasWord { builder.root(.cMemory(address: 64), to: loader) }
      return Report(of: [(builder.capture, Analysis(of: builder.capture, symbolicator: symbolicator))])
    }
    #expect(reports.map { $0.findings.map(\.verdict) } == [[.overRetained], [.growth]])
    for (written, read) in [(reports[0], reports[1]), (reports[1], reports[0])] {
      let text = Baseline(of: written, failOn: .growth).text
      var read = read
      #expect(try accept(&read, text).isEmpty)
      #expect(read.findings.map(\.acceptance) == [.baseline])
    }
  }

  /// In an optimised build, the function whose last call makes the object is missing in the stack trace.
  @Test func aLineOfAnOptimisedBuildIsAboutTheSameObjectInDebug() throws {
    let stackTraces: [[UInt64]] = [[0x20], [0x10, 0x20]]
    let reports = stackTraces.map { stackTrace -> Report in
      var builder = CaptureBuilder()
      let symbolicator = TableSymbolicator()
      symbolicator.define(0x10, [.user("makeLoader()", line: 3)])
      symbolicator.define(0x20, [.user("run()", line: 9)])
      _ = builder.object(
        of: builder.type("Demo.Loader"), stackTrace: builder.stackTrace(stackTrace), strongCount: 2)
      builder.heapGraph()
      return Report(of: [(builder.capture, Analysis(of: builder.capture, symbolicator: symbolicator))])
    }
    var debug = reports[1]
    #expect(try accept(&debug, Baseline(of: reports[0], failOn: .leaks).text).isEmpty)
    #expect(debug.findings.map(\.acceptance) == [.baseline])
  }

  @Test func aStepWithoutANameHasNoDot() throws {
    var finding = leak()
    finding.path = [.init(type: "Demo.Canary", reference: ""), .init(type: "suspended task", reference: "a")]
    let text = Baseline(of: report([finding]), failOn: .leaks).text
    #expect(text.contains("\tDemo.Canary → suspended task.a\n"))
  }

  @Test func aWrittenBaselineAcceptsAllThatFailed() throws {
    var held = ExplainedFindings.heldByStatic
    held.fingerprint = "00000000000000d1"
    let findings = [leak(), leak(test: nil), held]
    let text = Baseline(of: report(findings), failOn: .leaks).text
    var again = report(findings)
    #expect(try accept(&again, text).isEmpty)
    #expect(again.failingFindings.isEmpty)
    #expect(again.findings.map(\.acceptance) == [.baseline, .baseline, nil])
    #expect(
      text.split(separator: "\n").last
        == Substring(Baseline(of: report([leak()]), failOn: .leaks).entries[0].line))
  }

  @Test func namesCannotBreakLines() throws {
    var finding = leak()
    finding.type = "Demo.A\n00000000000000c9\t*\tx"
    finding.test = "Demo.A/test\n00000000000000c8\t*"
    var report = report([finding], tests: [finding.test!])
    let text = Baseline(of: report, failOn: .leaks).text
    #expect(try Baseline(parsing: Array(text.utf8)).entries.map(\.fingerprint) == ["00000000000000c1"])
    #expect(try accept(&report, text).isEmpty)
    #expect(report.failingFindings.isEmpty)
  }

  @Test(
    arguments: [
      ("00000000000000c1", 1), ("# x\n\nc1\tDemo.A/test", 3), ("00000000000000C1\tx", 1),
      ("00000000000000c1 Demo.A/test", 1),
    ])
  func malformedLinesAreRejected(text: String, line: Int) {
    #expect(
      throws: LineError(line: line, expectation: "a fingerprint of 16 hexadecimal digits, a tab, and a test")
    ) {
      try Baseline(parsing: Array(text.utf8))
    }
  }
}
