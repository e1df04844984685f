import Foundation
import TestSupport
import Testing

/// XCTests run by `swift test`: counts and xUnit files.
@Suite(.serialized)
struct XCTestThroughSwiftTestTests {
  private func test(_ own: [String], _ arguments: [String]) throws -> ProgramRun {
    try XCTestLeaks.package.test(own + arguments)
  }

  @Test func parallelLeakingTestsFailInTheXUnitFile() throws {
    let folder = try TemporaryFolder()
    let run = try test(
      ["--text", "/dev/null"],
      ["--parallel", "--xunit-output", folder.path("xunit.xml"), "--filter", "OrderTests|SharedTests"])
    #expect(run.status == .exited(1))
    let xunit = try folder.text(of: "xunit.xml")
    #expect(xunit.contains(#"tests="4" failures="2""#), "\(xunit)")
    #expect(failed(in: xunit) == ["testB_leaks", "testInherited"])
    let output = XCTestRun(run)
    #expect(output.failures.map(\.test).sorted() == ["OrderTests.testB_leaks", "SharedTests.testInherited"])
    #expect(output.failed.sorted() == ["OrderTests.testB_leaks", "SharedTests.testInherited"])
    #expect(output.failures.allSatisfy { $0.message.hasPrefix("LiveObjects: retain cycle: Leaky.Loader") })
  }

  @Test func theReportAndTheFailuresNameTheSameTests() throws {
    let folder = try TemporaryFolder()
    let run = XCTestRun(
      try test(
        ["--json", folder.path("report.json")],
        ["--filter", "LeakyTests", "--skip", "ReleasedTests", "--disable-swift-testing"]))
    let report = try JSONReport(folder.bytes(of: "report.json"))
    let leaks = run.failures.filter(\.isLeak)
    #expect(Set(leaks.map(\.test)).isSubset(of: run.failed))
    #expect(report.leaks == leaks.map { Self.identifier($0.test) + ": " + $0.verdict }.sorted())
    #expect(report.leaking == Set(leaks.map { Self.identifier($0.test) }).sorted())
    #expect(Set(leaks.map(\.verdict)) == ["retainCycle", "overRetained"])
    #expect(run.run.status == .exited(1))
  }

  @Test func withFailOnNoneSwiftTestSucceeds() throws {
    let run = try test(
      ["--fail-on", "none", "--text", "/dev/null"], ["--filter", "OrderTests", "--disable-swift-testing"])
    #expect(run.status == .exited(0))
  }

  private func failed(in xunit: String) -> [String] {
    xunit.matches(of: /name="(\w+)"[^>]*>\s*<failure/).map { String($0.1) }.sorted()
  }

  /// XCTest's name of a test, as `swift test list` spells it.
  private static func identifier(_ name: String) -> String {
    "LeakyTests." + name.replacing(".", with: "/")
  }
}

extension JSONReport {
  /// Each test with leaks, with the verdict of each of them, sorted.
  fileprivate var leaks: [String] {
    findings.filter {
      $0.test != nil && !$0.libraryLeak && ["retainCycle", "overRetained"].contains($0.verdict)
    }
    .map { "\($0.test ?? "no test"): \($0.verdict)" }.sorted()
  }

  /// The tests whose outcome is a leak, sorted.
  fileprivate var leaking: [String] { tests.lazy.filter { $0.outcome == "leaked" }.map(\.id).sorted() }
}

extension XCTestRun.Failure {
  fileprivate var verdict: String { message.contains("over-retained") ? "overRetained" : "retainCycle" }
}
