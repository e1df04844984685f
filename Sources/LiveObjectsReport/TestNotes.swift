import LiveObjectsAnalysis
import LiveObjectsCapture

/// Says in a sentence which tests were not judged.
enum TestNotes {
  static func notes(for tests: [Report.Test]) -> [String] {
    let unjudged = tests.filter { !$0.outcome.claims }
    let unfinished = unjudged.count { $0.outcome == .running }
    return [
      note(on: unjudged.count - unfinished, "failed or was skipped", "failed or were skipped"),
      note(on: unfinished, "had not ended", "had not ended"),
    ].compactMap { $0 }
  }

  private static func note(on count: Int, _ one: String, _ many: String) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "test", "tests")) \(count == 1 ? one : many): "
      + "what \(count == 1 ? "it" : "they") left behind is not judged."
  }
}
