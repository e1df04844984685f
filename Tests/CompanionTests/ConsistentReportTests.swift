import Foundation
import TestSupport
import Testing

/// A test's failure and the report agree on a leak, whatever happened in between.
@Suite(.serialized)
struct ConsistentReportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aLeakHasOneVerdictAndOneFingerprint() throws {
    let one = ["--disable-swift-testing", "--filter"]
    let leaks = [
      try leakWhileAnotherThreadRuns(one + ["ProcessEndTests/testA_overRetains"]),
      try leakWhileAnotherThreadRuns(one + ["ProcessEndTests"]),
      try leakWhileAnotherThreadRuns(one + ["ProcessEndTests"], "graph=off"),
      try leakWhileAnotherThreadRuns(one + ["ProcessEndTests", "--parallel"]),
    ]
    #expect(Set(leaks).count == 1, "\(leaks)")
  }

  /// The finding of the object that `testA_overRetains` leaks.
  private func leakWhileAnotherThreadRuns(_ arguments: [String], _ options: String = "") throws
    -> ConsistentFinding
  {
    let (run, report) = try test(arguments, options, environment: ["LEAKY_THREAD_RUNS": "1"])
    let test = try #require(report.tests.first { $0.id == "LeakyTests.ProcessEndTests/testA_overRetains" })
    let findings = report.findings.filter { $0.test == test.id }
    #expect(findings.map(\.verdict) == ["overRetained"])
    #expect(test.findings == findings.map(\.fingerprint))
    #expect(test.outcome == "leaked" && test.evaluated)
    #expect(XCTestRun(run).failed == ["ProcessEndTests.testA_overRetains"])
    #expect(run.standardOutput.contains("over-retained by 1: Leaky.Token"))
    #expect(run.status == .exited(1))
    return ConsistentFinding(try #require(findings.first))
  }

  /// In one process after many other leaks, and in a process of its own.
  @Test func theLastTestIsEvaluatedAsTheFirst() throws {
    let filter = ["--disable-swift-testing", "--filter", "ObservedTests"]
    let (run, serial) = try test(filter)
    let parallel = try test(filter + ["--parallel"]).report
    let leaking = Set(serial.tests.map(\.id)).subtracting([
      "LeakyTests.ObservedTests/testA_runsManyThatLeak", "LeakyTests.ObservedTests/testC_leavesNothing",
    ])
    #expect(leaking.count == 27)
    #expect(XCTestRun(run).failed.count == 27)
    for report in [serial, parallel] {
      #expect(Set(report.tests.lazy.filter { $0.outcome == "leaked" }.map(\.id)) == leaking)
      #expect(!report.tests.contains { !$0.evaluated })
    }
    // XCTest itself leaks its suites, in each process.
    let findings = [serial, parallel].map {
      Set($0.findings.filter { $0.test != nil }.map(ConsistentFinding.init))
    }
    #expect(findings[0].count { $0.verdict == "retainCycle" } == 27)
    #expect(findings[0] == findings[1])
  }

  @Test func aLaterDeallocationIsReportedWithItsTest() throws {
    let (run, report) = try test(["--filter", "ReleasedTests", "--disable-swift-testing"])
    #expect(XCTestRun(run).failed == ["ReleasedTests.testA_overRetains"])
    let leaks = report.findings.filter { $0.verdict == "overRetained" && !$0.libraryLeak }
    #expect(leaks.isEmpty, "\(leaks)")
    #expect(
      report.tracking.notes.contains(
        "LeakyTests.ReleasedTests/testA_overRetains had left a leak when it ended: "
          + "probably over-retained by 1: Leaky.Token; its objects were released later."))
  }

  // MARK: - Crashes

  @Test(arguments: [
    ("--disable-swift-testing", "testA_leaks", "testB_leavesNothing", "testC_crashes"),
    ("--disable-xctest", "a_leaks()", "b_leavesNothing()", "c_crashes()"),
  ])
  func findingsOfFailedTestsAreReportedAfterACrash(
    library: String, leaking: String, clean: String, crashing: String
  ) throws {
    let package = library == "--disable-xctest" ? TestingLeaks.package : XCTestLeaks.package
    let (run, report) = try test(
      ["--filter", "CrashTests", library], package: package, environment: ["LEAKY_CRASHES": "1"])
    let suite = "LeakyTests.CrashTests/"
    #expect(report.tests.map(\.id) == [suite + leaking, suite + clean, suite + crashing])
    #expect(report.tests.map(\.outcome) == ["leaked", "passed", "running"])
    #expect(report.findings.map(\.test) == [suite + leaking])
    #expect(report.findings.map(\.verdict) == ["retainCycle"])
    #expect(!report.tracking.complete)
    #expect(run.standardError.contains("ended before it could report, during \(suite + crashing)\n"))
    #expect(run.status == .exited(1))
    let alone = try test(["--filter", "CrashTests", library], package: package).report
    let findings = [alone, report].map { $0.findings.filter { $0.test != nil }.map(ConsistentFinding.init) }
    #expect(findings[0] == findings[1])
    #expect(alone.tracking.complete)
  }

  @Test func capturesOfACrashedProcessReproduceTheReport() throws {
    let (_, report) = try test(
      ["--filter", "CrashTests", "--disable-swift-testing"], own: ["--capture", folder.path("all")],
      environment: ["LEAKY_CRASHES": "1"])
    let again = try runProgram(BuiltProducts.tool, ["report", "--json", "-", folder.path("all")])
    let other = try JSONReport(Array(again.standardOutput.utf8))
    #expect(other.findings.map(ConsistentFinding.init) == report.findings.map(ConsistentFinding.init))
    #expect(other.tests == report.tests)
    #expect(!other.tracking.complete)
  }

  /// Runs `liveobjects test` on a package.
  private func test(
    _ arguments: [String], _ options: String = "", own: [String] = [],
    package: FixturePackage = XCTestLeaks.package, environment: [String: String] = [:]
  ) throws -> (run: ProgramRun, report: JSONReport) {
    let run = try package.test(
      ["--json", folder.path("json"), "--options", options] + own + arguments, environment: environment)
    return (run, try JSONReport(folder.bytes(of: "json")))
  }
}

/// What has to be equal of a finding.
private struct ConsistentFinding: Hashable {
  let fingerprint, verdict, type: String
  let isLibraryLeak: Bool
  let test: String?
  let instances, objects: Int

  init(_ finding: JSONReport.Finding) {
    (fingerprint, verdict, type) = (finding.fingerprint, finding.verdict, finding.type)
    (isLibraryLeak, test) = (finding.libraryLeak, finding.test)
    (instances, objects) = (finding.instances, finding.objects)
  }
}
