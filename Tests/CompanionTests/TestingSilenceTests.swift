import TestSupport
import Testing

/// Objects that are no leaks, or belong to no test case.
struct TestingSilenceTests {
  @Test func aTestWithoutSurvivorsPasses() throws {
    let run = try TestingLeaks.run("CleanTests", options: "failon=growth")
    #expect(run.leaks.isEmpty)
    #expect(run.report.outcomes(of: "LeakyTests.CleanTests/") == ["passed"])
    #expect(run.run.status == .exited(0))
  }

  @Test func unfinishedTestsAreNotEvaluated() throws {
    try expectOnlyTestsThatPassedLeak(TestingLeaks.run("OutcomeTests"))
  }

  /// The companion gets the events, whatever is printed.
  @Test(arguments: [["--quiet"], ["--very-verbose"]])
  func theVerbosityOfSwiftTestingDoesNotMatter(arguments: [String]) throws {
    try expectOnlyTestsThatPassedLeak(TestingLeaks.run("OutcomeTests", arguments))
  }

  /// Some are cycles: code with a weak reference may break a cycle later.
  @Test func anObjectReleasedSoonAfterItsTestIsNoLeak() throws {
    let run = try TestingLeaks.run("LateReleaseTests")
    #expect(run.leaks.isEmpty && run.report.findings.isEmpty)
    #expect(run.run.status == .exited(0))
  }

  @Test func workThatIsDueWhenTheLastTestEndsHoldsNothing() throws {
    #expect(try TestingLeaks.run("isHeldByWorkThatIsDueSoon").report.findings.isEmpty)
  }

  #if compiler(>=6.2)  // There are exit tests.
    @Test func anExitTestIsNotWatched() throws {
      let run = try TestingLeaks.run("StructureTests/exits")
      #expect(run.leaks.isEmpty && run.report.findings.isEmpty)
      #expect(run.run.status == .exited(0))
    }
  #endif

  @Test func theStatusOfARunWithoutTestsIsUnchanged() throws {
    #expect(try TestingLeaks.run("NoSuchTest").run.status == .exited(69))
  }

  private func expectOnlyTestsThatPassedLeak(_ run: TestingRun) {
    #if compiler(>=6.3)
      #expect(run.leakingTests == ["hasAKnownIssue()", "isCancelledOnce(number:)", "warns()"])
      #expect(
        run.report.outcomes(of: "LeakyTests.OutcomeTests/")
          == Array(repeating: "failed", count: 5) + ["leaked", "leaked", "leaked", "skipped", "skipped"])
      #expect(run.report.findings.count == 3)
    #endif
  }
}
