import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct FixCheckTests {
  private static let test = "Demo.A/test"

  private func leak(_ fingerprint: String = "00000000000000c1", _ verdict: Finding.Verdict = .retainCycle)
    -> Finding
  {
    var finding = ExplainedFindings.cycle
    (finding.fingerprint, finding.verdict, finding.test) = (fingerprint, verdict, Self.test)
    return finding
  }

  private func report(_ findings: [Finding], test: String = test) -> Report {
    var report = ExplainedFindings.report(findings)
    report.tests = [
      Report.Test(
        id: test, testCase: nil, library: .xctest, outcome: .passed, evaluation: .complete, findings: [])
    ]
    return report
  }

  /// The answer about the first of these findings, and the others that an earlier report had.
  private func answer(_ report: Report, known others: [Finding] = []) throws -> String {
    let known = Baseline(([leak()] + others).map(Baseline.Entry.init))
    switch try FixCheck(of: [leak().fingerprint], in: known).answer(in: report) {
    case .gone: return "gone"
    case .remains(let findings): return "remains: \(findings.map(\.fingerprint))"
    case .replaced(let findings): return "new: \(findings.map(\.fingerprint))"
    case .unknown(let reason): return reason
    }
  }

  @Test func aFindingIsGoneIfItsTestRanWithoutIt() throws {
    #expect(try answer(report([])) == "gone")
    #expect(try answer(report([leak()])) == "remains: [\"00000000000000c1\"]")
  }

  @Test func whatIsReleasedWhenTheProcessEndsIsStillALeakOfItsTest() throws {
    var released = report([])
    released.released = [leak()]
    #expect(try answer(released) == "remains: [\"00000000000000c1\"]")
  }

  @Test func otherLeaksOfTheEarlierReportStay() throws {
    let other = leak("00000000000000c2")
    #expect(try answer(report([other]), known: [other]) == "gone")
    #expect(try answer(report([other])) == "new: [\"00000000000000c2\"]")
  }

  /// A cycle that becomes an entry of a static dictionary is no fix.
  @Test func objectsOfTheTypeMayNotBeHeldInstead() throws {
    var held = leak("00000000000000d1", .heldBy)
    #expect(try answer(report([held])) == "new: [\"00000000000000d1\"]")
    held.type = "Demo.Unrelated"
    #expect(try answer(report([held])) == "gone")
  }

  @Test func aTestThatDidNotRunProvesNothing() throws {
    #expect(try answer(report([], test: "Demo.A/other")).hasPrefix("Demo.A/test did not run"))
    var skipped = report([])
    (skipped.tests[0].evaluation, skipped.tests[0].outcome) = (.notWanted, .skipped)
    #expect(try answer(skipped) == "Demo.A/test was not evaluated: it was skipped")
  }

  @Test func anUnwatchedRunProvesNothing() throws {
    var unwatched = report([])
    unwatched.tracking.wasWatched = false
    #expect(try answer(unwatched) == "nothing was watched")
  }

  @Test func anUnknownFingerprintIsRefused() {
    let known = Baseline([Baseline.Entry(leak())])
    #expect(throws: FixCheck.UnknownFingerprint.self) {
      try FixCheck(of: ["00000000000000c1", "00000000000000ff"], in: known)
    }
  }
}
