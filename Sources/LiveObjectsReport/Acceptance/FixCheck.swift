import LiveObjectsAnalysis
import LiveObjectsCapture

/// Whether findings of an earlier run are gone, and no others came in their place.
package struct FixCheck {
  package enum Answer {
    case gone
    /// Findings that should be gone.
    case remains([Finding])
    /// The findings are gone, but these are new.
    case replaced([Finding])
    /// A sentence with the reason why nothing is known.
    case unknown(String)
  }

  private let wanted: Baseline
  /// All that an earlier run left behind.
  private let known: Baseline

  /// The tests that left the findings behind; `nil` if they may belong to any test.
  package var tests: Set<String>? {
    let tests = Set(wanted.entries.map(\.test))
    return tests.isDisjoint(with: [Baseline.everyTest, Baseline.noTest]) ? tests : nil
  }

  /// - Throws: the first fingerprint that no earlier finding has.
  package init(of fingerprints: [String], in known: Baseline) throws(UnknownFingerprint) {
    for fingerprint in fingerprints where !known.entries.contains(where: { $0.fingerprint == fingerprint }) {
      throw UnknownFingerprint(fingerprint: fingerprint)
    }
    wanted = Baseline(known.entries.filter { fingerprints.contains($0.fingerprint) })
    self.known = known
  }

  package struct UnknownFingerprint: Error {
    package let fingerprint: String
  }

  /// - Parameter report: on another run of these tests, without a baseline.
  package func answer(in report: Report) -> Answer {
    let findings = report.findings + report.released
    let remaining = findings.filter(wanted.contains)
    guard remaining.isEmpty else { return .remains(remaining) }
    let new = findings.filter(isNew)
    guard new.isEmpty else { return .replaced(new) }
    return reasonForNoAnswer(in: report).map(Answer.unknown) ?? .gone
  }

  /// A change that turns a leak into something that a variable holds removes nothing: so no new finding of the same
  /// type may be there, of any verdict.
  private func isNew(_ finding: Finding) -> Bool {
    guard !known.contains(finding) else { return false }
    let isOfType = wanted.entries.contains { $0.type == Baseline.Entry(finding).type }
    return FailOn.leaks.includes(finding) || (FailOn.growth.includes(finding) && isOfType)
  }

  private func reasonForNoAnswer(in report: Report) -> String? {
    guard report.tracking.wasWatched else { return "nothing was watched" }
    if let failure = report.tracking.evaluationFailure { return failure }
    if report.holdersAreUnread { return "not all memory that may hold the objects could be read" }
    let ids = tests?.sorted() ?? report.tests.map(\.id)
    return ids.isEmpty ? "no test ran" : ids.lazy.compactMap { reasonForNoAnswer(of: $0, in: report) }.first
  }

  /// A test has several cases if it has parameters.
  private func reasonForNoAnswer(of test: String, in report: Report) -> String? {
    let cases = report.tests.filter { $0.id.printable == test }
    if cases.isEmpty { return "\(test) did not run: it may have another name now" }
    let other = cases.first { $0.evaluation != .complete }
    return other.map { "\(test) was not evaluated: it \($0.outcome.predicate)" }
  }
}

extension TestDescription.Outcome {
  fileprivate var predicate: String {
    switch self {
    case .running: "did not end"
    case .passed, .leaked: "ended before its references were read"
    case .failed: "failed for a reason of its own"
    case .skipped: "was skipped"
    }
  }
}
