import TestSupport
import Testing

/// With 400 parallel test cases that also work on other threads, every leak is reported for the case that allocated
/// it, and no other case fails.
struct TestingParallelTests {
  private static let leaking = 300

  @Test func everyLeakIsReportedForItsCase() throws {
    let run = try TestingLeaks.run("NumberedTests")
    let expected = Set((0..<Self.leaking).map(String.init))
    #expect(run.leaks.count == Self.leaking)
    #expect(Set(run.leaks.map(\.arguments)) == expected)
    for leak in run.leaks {
      #expect(leak.test == "leaks(number:)")
      #expect(leak.finding.contains(Self.type(leak.arguments)), "\(leak)")
    }
    #expect(run.report.findings.count == Self.leaking)
    #expect(Set(run.report.findings.compactMap(\.case)) == expected)
    for finding in run.report.findings {
      #expect(finding.test == "LeakyTests.NumberedTests/leaks(number:)")
      #expect(finding.type == Self.type(finding.case ?? "") && finding.instances == 1, "\(finding)")
    }
    #expect(run.report.tests.count == Self.leaking + 100)
    #expect(run.run.status == .exited(1))
  }

  /// `Leaky.Node<Leaky.Number<Leaky.D0, Leaky.D4, Leaky.D2>>` for 42.
  private static func type(_ number: String) -> String {
    let digits = (String(repeating: "0", count: 3 - number.count) + number).map { "Leaky.D\($0)" }
    return "Leaky.Node<Leaky.Number<\(digits.joined(separator: ", "))>>"
  }
}
