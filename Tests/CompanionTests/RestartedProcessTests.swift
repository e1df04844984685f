import Foundation
import TestSupport
import Testing

/// Tests that start their own binary again: the child process is part of the test.
struct RestartedProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a test that asserts the crash of a child process is evaluated, and the run is green")
  func crashesOfChildren() throws {
    let (run, report) = try test("RestartTests/test[A-D]")
    #expect(run.status == .exited(0), "\(run.standardError)")
    #expect(report.tests.map(\.outcome) == Array(repeating: "passed", count: 4))
    #expect(!report.tests.map(\.evaluated).contains(false))
    #expect(report.tracking.unwatchedProcesses == 0 && report.tracking.unevaluated.isEmpty)
  }

  @Test("such a test fails for what it leaks itself")
  func leakOfTheParent() throws {
    let (run, report) = try test("RestartTests/testE")
    #expect(run.status == .exited(1))
    #expect(XCTestRun(run).failed == ["RestartTests.testE_leaksToo"])
    #expect(report.findings.compactMap(\.test) == ["LeakyTests.RestartTests/testE_leaksToo"])
    #expect(report.tests.map(\.outcome) == ["leaked"])
    #expect(report.tracking.unwatchedProcesses == 0 && report.tracking.unevaluated.isEmpty)
  }

  private func test(_ filter: String) throws -> (run: ProgramRun, report: JSONReport) {
    let run = try XCTestLeaks.package.test(
      ["--json", folder.path("json"), "--disable-swift-testing", "--filter", filter],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    return (run, try JSONReport(folder.bytes(of: "json")))
  }
}
