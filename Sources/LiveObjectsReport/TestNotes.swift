import LiveObjectsAnalysis
import LiveObjectsCapture

/// Notes about tests that were not evaluated, and about leaks that were released after their tests had
/// failed.
enum TestNotes {
  private static let listedTests = 3

  /// - Parameter released: findings that tests failed with and whose objects have been deallocated since.
  static func notes(for tests: [Report.Test], released: [Finding]) -> [String] {
    let unevaluated = tests.filter { !$0.outcome.isAccountable }
    let unfinished = unevaluated.count { $0.outcome == .running }
    return released.map(note(onReleased:))
      + [
        note(onUnevaluated: tests.filter { $0.evaluation == .impossible }),
        note(on: unevaluated.count - unfinished, "failed or was skipped", "failed or were skipped"),
        note(on: unfinished, "had not ended", "had not ended"),
      ].compactMap { $0 }
  }

  private static func note(onReleased finding: Finding) -> String {
    let test = TestName(of: finding)?.description ?? "A test"
    return "\(test) failed with \(finding.title); the objects were released after the test had ended."
  }

  private static func note(onUnevaluated tests: [Report.Test]) -> String? {
    guard !tests.isEmpty else { return nil }
    return
      "Whether \(list(tests.map { TestName($0).description })) left a leak behind could not be evaluated."
  }

  fileprivate static func list(_ tests: [String]) -> String {
    let listed = tests.prefix(listedTests)
    let rest = tests.count - listed.count
    return listed.joined(separator: ", ")
      + (rest > 0 ? " and \(Count.of(rest, "more test", "more tests"))" : "")
  }

  private static func note(on count: Int, _ one: String, _ many: String) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "test", "tests")) \(count == 1 ? one : many): "
      + "what \(count == 1 ? "it" : "they") left behind was not evaluated."
  }
}

extension Capture {
  /// A sentence about a process that wrote no capture, with the tests during which it ended; `nil` if it
  /// wrote one.
  ///
  /// - Parameter process: its name in the sentence.
  package func untimelyEnd(of process: String) -> String? {
    guard isJournal else { return nil }
    let running = tests.filter { $0.outcome == .running }.map { TestName($0).description }
    return "\(process) ended before it could report"
      + (running.isEmpty ? "" : ", during \(TestNotes.list(running))")
  }
}
