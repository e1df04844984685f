import TestSupport
import Testing

/// Objects that are no leak of a test case, or that no test case is accountable for.
struct TestingSilenceTests {
  @Test func aTestThatLeavesNothingBehindPasses() throws {
    let run = try TestingLeaks.run("CleanTests", options: "failon=growth")
    #expect(run.leaks.isEmpty)
    #expect(run.report.outcomes(of: "LeakyTests.CleanTests/") == ["passed"])
    #expect(run.run.status == .exited(0))
  }

  @Test func aTestThatDidNotComeToItsEndSaysNothingAboutLeaks() throws {
    try expectOnlyTestsThatPassedLeak(TestingLeaks.run("OutcomeTests"))
  }

  /// Whether a test has failed is known from what Swift Testing writes.
  @Test(arguments: [["--quiet"], ["--very-verbose"]])
  func howMuchSwiftTestingWritesDoesNotMatter(arguments: [String]) throws {
    try expectOnlyTestsThatPassedLeak(TestingLeaks.run("OutcomeTests", arguments))
  }

  /// Cycles among them: any code with a weak reference to one may break it.
  @Test func whatIsReleasedSoonAfterTheTestIsNoLeak() throws {
    let run = try TestingLeaks.run("LateReleaseTests")
    #expect(run.leaks.isEmpty && run.report.findings.isEmpty)
    #expect(run.run.status == .exited(0))
  }

  #if compiler(>=6.2)  // There are exit tests.
    @Test func theBodyOfAnExitTestIsNotWatched() throws {
      let run = try TestingLeaks.run("StructureTests/exits")
      #expect(run.leaks.isEmpty && run.report.findings.isEmpty)
      #expect(run.run.status == .exited(0))
    }
  #endif

  @Test func noTestAtAllIsReportedAsWithoutUs() throws {
    #expect(try TestingLeaks.run("NoSuchTest").run.status == .exited(69))
  }

  private func expectOnlyTestsThatPassedLeak(_ run: TestingRun) {
    #if compiler(>=6.3)
      #expect(run.leakingTests == ["hasAKnownIssue()", "isCancelledOnce(number:)", "warns()"])
      #expect(
        run.report.outcomes(of: "LeakyTests.OutcomeTests/")
          == ["failed", "failed", "failed", "failed", "leaked", "leaked", "leaked", "skipped", "skipped"])
      #expect(run.report.findings.count == 3)
    #endif
  }
}
