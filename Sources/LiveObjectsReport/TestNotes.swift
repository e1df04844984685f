import LiveObjectsAnalysis
import LiveObjectsCapture

/// Says in a sentence which tests were not judged, and of which the report says something else than they did.
enum TestNotes {
  static func notes(for tests: [Report.Test], findings: [Finding]) -> [String] {
    let unjudged = tests.filter { !$0.outcome.claims }
    let leaks = Set(findings.lazy.filter(\.isLeak).map(\.fingerprint))
    let mended = tests.count { $0.outcome == .leaked && leaks.isDisjoint(with: $0.findings) }
    let unfinished = unjudged.count { $0.outcome == .running }
    return [
      note(onMended: mended),
      note(on: unjudged.count - unfinished, "failed or was skipped", "failed or were skipped"),
      note(on: unfinished, "had not ended", "had not ended"),
    ].compactMap { $0 }
  }

  private static func note(onMended count: Int) -> String? {
    guard count > 0 else { return nil }
    let (whose, which) =
      count == 1 ? ("an object that was no leak", "it was") : ("objects that were no leaks", "they were")
    return "\(Count.of(count, "test", "tests")) failed for \(whose) any more when the process ended: "
      + "\(which) released later, or found to be held."
  }

  private static func note(on count: Int, _ one: String, _ many: String) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "test", "tests")) \(count == 1 ? one : many): "
      + "what \(count == 1 ? "it" : "they") left behind is not judged."
  }
}
