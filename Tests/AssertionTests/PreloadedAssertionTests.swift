import Foundation
import TestSupport
import Testing

/// Under the preload library, whose companions evaluate the same tests, no leak is reported twice, and the report
/// lists every one.
struct PreloadedAssertionTests {
  private func runSwiftTests(_ filter: String, options: String = "") throws -> (
    run: ProgramRun, report: JSONReport
  ) {
    try run(SwiftTestingRun.arguments + ["--filter", filter], options: options)
  }

  private func run(_ tests: String) throws -> (run: ProgramRun, report: JSONReport) { try run([tests]) }

  private func run(_ arguments: [String], options: String = "") throws -> (
    run: ProgramRun, report: JSONReport
  ) {
    let folder = try TemporaryFolder()
    let run = try AssertionIdioms.run(
      arguments,
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary,
        "LIVEOBJECTS_OPTIONS": "format=json:output='\(folder.path("report"))':\(options)",
      ])
    return (run, try JSONReport(folder.bytes(of: "report")))
  }

  @Test func anXCTestThatFailsByAnAssertionFailsOnceAndIsListed() throws {
    let (run, report) = try run("DemoXCTests.MakeSUTTests/testLeaking,DemoXCTests.NoLeaksTests/testLeaking")
    #expect(XCTestRun(run).failures.count == 2)
    #expect(XCTestRun(run).failures.allSatisfy { $0.message.hasPrefix("failed - ") })
    #expect(report.tests.map(\.outcome) == ["leaked", "leaked"])
    #expect(report.tests.allSatisfy { $0.findings.count == 1 })
  }

  @Test func theReportRepeatsTheVerdictOfAnAssertion() throws {
    let (run, report) = try run("DemoXCTests.NoLeaksTests/testOverRetainedAndHeldLater")
    #expect(XCTestRun(run).failures.count == 1)
    #expect(report.tests.map(\.outcome) == ["leaked"])
    let items = report.findings.filter { $0.type == "Demo.Item" }
    #expect(items.map(\.verdict) == ["overRetained"] && items.map(\.instances) == [8])
    let message = XCTestRun(run).failures.first?.message ?? ""
    #expect(message.contains("Demo.Item (8 instances"), "\(message)")
  }

  @Test func aTrackedObjectIsReportedOnce() throws {
    let (run, report) = try run("DemoXCTests.ClearedPropertyTests,DemoXCTests.CustomRunTests/testLeaking")
    let tests = ["ClearedPropertyTests.testLeaking", "CustomRunTests.testLeaking"]
    #expect(XCTestRun(run).failures.map(\.test) == tests)
    #expect(XCTestRun(run).failed == tests)
    #expect(XCTestRun(run).passed == ["ClearedPropertyTests.testFixed"])
    #expect(report.tests.map(\.outcome) == ["passed", "leaked", "leaked"])
  }

  @Test func aLeakOfATestWithACustomRunClassIsOnlyInTheReport() throws {
    let (run, report) = try run(
      "DemoXCTests.CustomRunTests/testLeakingUntracked,DemoXCTests.MakeSUTTests/testFixed")
    #expect(run.status == .exited(0))
    #expect(XCTestRun(run).passed == ["CustomRunTests.testLeakingUntracked", "MakeSUTTests.testFixed"])
    #expect(report.tests.map(\.findings.count) == [1, 0])
  }

  @Test func aKnownLeakIsListedAsKnown() throws {
    let (run, report) = try runSwiftTests("KnownLeakTests/known")
    #expect(run.status == .exited(0))
    #expect(SwiftTestingRun(run).issues.isEmpty)
    let count = AssertionIdioms.haveTrait ? 4 : 2
    #expect(report.tests.map(\.outcome) == Array(repeating: "passed", count: count))
    #expect(report.tests.allSatisfy { $0.findings.count == 1 })
    #expect(report.findings.filter { $0.test != nil }.map(\.known) == Array(repeating: true, count: count))
  }

  @Test func anotherLeakFailsATestWithAKnownOne() throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/alsoLeaks")
    #expect(run.status == .exited(1))
    #expect(SwiftTestingRun(run).messages(of: "alsoLeaksWithAKnownLeak()").count == 1)
    #expect(report.tests.map(\.outcome) == ["leaked"])
    #expect(report.tests.map(\.findings.count) == [1])
    #expect(report.leaks(of: "alsoLeaksWithAKnownLeak()") == [true: 1, false: 1])
  }

  @Test func anUnexpectedReportedLeakIsNotKnown() throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/expectsOneOfTwo")
    #expect(SwiftTestingRun(run).messages(of: "expectsOneOfTwoReportedLeaks()").count == 1)
    #expect(report.tests.map(\.outcome) == ["leaked"])
    #expect(report.leaks(of: "expectsOneOfTwoReportedLeaks()") == [false: 2])
  }

  @Test(arguments: [
    "hasAKnownObjectAndAnotherLeak()", "hasAKnownObjectAndAnotherLeakInADiff()",
  ])
  func anotherLeakOfATestWithAKnownObjectIsNotKnown(test: String) throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/" + test.dropLast(2) + "\\(")
    #expect(run.status == .exited(1))
    #expect(report.tests.map(\.id).count == 1)
    #expect(report.leaks(of: test)[true] == nil && report.leaks(of: test)[false] == 2)
  }

  @Test func aLeakOfATaskAfterTheAssertionIsNotKnown() throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/repeatsTheLeak")
    #expect(SwiftTestingRun(run).messages(of: "repeatsTheLeakInALaterTask()").count == 1)
    #expect(report.leaks(of: "repeatsTheLeakInALaterTask()") == [true: 1, false: 1])
  }

  @Test func anExpectedIssueWithoutALeakMarksNoneAsKnown() throws {
    let (run, report) = try runSwiftTests(
      "ReportedKnownIssueTests/leaksAHeldObject", options: "maxobjects=20000")
    #expect(run.standardError.contains("not everything was watched"))
    #expect(report.leaks(of: "leaksAHeldObjectAfterDroppedRecords()") == [false: 1])
  }

  @Test func aTestWithAKnownLeakThatFailsForAnotherReasonIsNotEvaluated() throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/hasAKnownLeak")
    #expect(SwiftTestingRun(run).issues.count == 1)
    #expect(report.tests.map(\.outcome) == ["failed"])
    #expect(report.findings.allSatisfy { $0.test == nil })
  }

  @Test func anUnreportedLeakIsNotKnown() throws {
    let (run, report) = try runSwiftTests("ReportedKnownIssueTests/leaksInside")
    #expect(run.status == .exited(1))
    #expect(report.leaks(of: "leaksInsideAKnownIssueWithoutAnAssertion()") == [false: 1])
  }

  @Test func fixedTestsReportNothing() throws {
    let (run, report) = try run(
      "DemoXCTests.MakeSUTTests/testFixed,DemoXCTests.ClearedPropertyTests/testFixed,"
        + "DemoXCTests.KeptPropertyTests/testKept")
    #expect(run.status == .exited(0))
    #expect(report.tests.map(\.outcome) == ["passed", "passed", "passed"])
  }

  @Test func aFailureWithoutAnObjectIsNotALeak() throws {
    let (_, report) = try run("DemoXCTests.DeallocatedTests/testReturningNil")
    #expect(report.tests.map(\.outcome) == ["failed"])
  }

  @Test(.needsDetectsLeaks) func aSwiftTestThatFailsByAnAssertionFailsOnceAndIsListed() throws {
    let (run, report) = try runSwiftTests("leakingOn")
    let issues = SwiftTestingRun(run).issues
    #expect(Set(issues.map(\.test)) == ["leakingOnASuite()", "leakingOnATest()"])
    #expect(issues.count == 2)
    #expect(issues.allSatisfy { $0.message.contains("detectsLeaks: ") })
    #expect(report.tests.map(\.outcome) == ["leaked", "leaked"])
    #expect(report.tests.allSatisfy { $0.findings.count == 1 })
  }
}

extension JSONReport {
  /// What a test left behind: how many instances, and whether these are known.
  fileprivate func leaks(of test: String) -> [Bool: Int] {
    let own = findings.filter { $0.test?.hasSuffix("/" + test) == true }
    return Dictionary(own.map { ($0.known, $0.instances) }, uniquingKeysWith: +)
  }
}
