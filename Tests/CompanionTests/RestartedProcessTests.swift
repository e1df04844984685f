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

  private func test(_ filter: String) throws -> (run: ProgramRun, report: RestartReport) {
    _ = try XCTestLeaks.package.testBinary()
    let run = try runProgram(
      BuiltProducts.tool,
      ["test", "--json", folder.path("json"), "--package-path", XCTestLeaks.package.folder]
        + ["--scratch-path", XCTestLeaks.package.scratchFolder, "--skip-build", "--disable-swift-testing"]
        + FixturePackage.configuration + ["--filter", filter],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    return (run, try JSONDecoder().decode(RestartReport.self, from: Data(folder.bytes(of: "json"))))
  }
}

/// The fields of a JSON report that these tests check.
private struct RestartReport: Decodable {
  struct Tracking: Decodable {
    var unwatchedProcesses: Int
    var unevaluated: [String]
  }
  struct Test: Decodable {
    var outcome: String
    var evaluated: Bool
  }
  struct Finding: Decodable {
    var test: String?
  }

  var tracking: Tracking
  var tests: [Test]
  var findings: [Finding]
}
