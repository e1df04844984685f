import TestSupport
import Testing

/// A Swift Testing case that leaks a retain cycle has one more issue.
struct TestingLeakTests {
  @Test func aLeakIsAnIssueOfTheTestThatAllocatedIt() throws {
    let run = try TestingLeaks.run("ParallelTests")
    #expect(run.leakingTests == ["leaksA()", "leaksB()"])
    for leak in run.leaks {
      let type = "LeakyTests.ParallelTests." + (leak.test == "leaksA()" ? "A" : "B")
      #expect(leak.finding.hasPrefix("LiveObjects: retain cycle: Leaky.Node<\(type)> (5 instances"))
    }
    #expect(run.leaks.count == 2)
    #expect(run.run.status == .exited(1))
  }

  @Test func theIssueIsAtTheTestsDeclaration() throws {
    let place = try TestingLeaks.declaration(of: "@Test func leaksA()", in: "ParallelTests.swift")
    #expect(try TestingLeaks.run("ParallelTests/leaksA").leaks.map(\.place) == [place])
  }

  @Test func theIssueShowsPathAndCallSite() throws {
    let leak = try #require(try TestingLeaks.run("ParallelTests/leaksA").leaks.first)
    #expect(leak.explanation.contains("Node<ParallelTests.A>.other → Node<ParallelTests.A>.other"))
    #expect(leak.explanation.contains("allocated at makeRetainCycle(_:) Node.swift:"))
    #expect(leak.explanation.contains("from ParallelTests.leak(_:) ParallelTests.swift:"))
  }

  @Test func aParameterisedCaseIsReportedWithItsArguments() throws {
    let run = try TestingLeaks.run("ArgumentTests")
    #expect(run.leaks.map(\.arguments) == [#""c", 2"#])
    #expect(run.report.findings.map(\.case) == [#""c", 2"#])
    #expect(
      run.report.tests.compactMap(\.case).sorted() == [#""a b", 1"#, #""a b", 2"#, #""c", 1"#, #""c", 2"#])
  }

  @Test func theReportNamesTestsLikeTheTestList() throws {
    let run = try TestingLeaks.run("ParallelTests")
    let prefix = "LeakyTests.ParallelTests/"
    let leaking = [prefix + "leaksA()", prefix + "leaksB()"]
    #expect(run.report.tests.map(\.id).sorted() == leaking + [prefix + "leavesNothing()"])
    #expect(run.report.tests.allSatisfy { $0.library == "Testing" && $0.case == nil })
    #expect(run.report.findings.compactMap(\.test).sorted() == leaking)
    #expect(run.report.outcomes(of: prefix) == ["leaked", "leaked", "passed"])
  }

  /// Whatever a test binds, cancels and throws, the companion detects its end.
  @Test func everyKindOfTestIsWatched() throws {
    let run = try TestingLeaks.run("StructureTests")
    #expect(
      run.leakingTests == [
        "cancelsTasks()", "confirms()", "hasATimeLimit()", "hasKnownIssuesInsideOthers()",
        "leaksAPropertyOfTheSuite()", "runsOnTheMainActor()", "throwsOutOfTasks()",
      ])
    #expect(run.leaks.count == 7)
    #if compiler(>=6.2)  // There is an exit test.
      #expect(run.report.tests.count == 9)
    #else
      #expect(run.report.tests.count == 8)
    #endif
    #expect(run.run.status == .exited(1))
  }

  @Test func theIssueIsInXUnitAndEventStreamFiles() throws {
    let folder = try TemporaryFolder()
    _ = try TestingLeaks.run(
      "ParallelTests/leaksA",
      ["--xunit-output", folder.path("xunit"), "--event-stream-output-path", folder.path("events")])
    #expect(try folder.text(of: "xunit").contains(#"failures="1""#))
    #expect(try folder.text(of: "events").contains("retain cycle: Leaky.Node<LeakyTests.ParallelTests.A>"))
  }

  @Test func withFailOnNoneNoTestFails() throws {
    let run = try TestingLeaks.run("ParallelTests", options: "failon=none")
    #expect(run.leaks.isEmpty)
    #expect(run.report.findings.count == 2)
    #expect(run.run.status == .exited(0))
  }
}
