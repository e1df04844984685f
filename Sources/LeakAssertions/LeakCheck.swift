package import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsReport

/// Converts a diff into the failures of an assertion.
package struct LeakCheck: Sendable {
  private let options: LiveObjects.LeakOptions

  package init(_ options: LiveObjects.LeakOptions) {
    self.options = options
  }

  /// The failures, none if the assertion holds.
  ///
  /// A body without tracking passes only on other systems than Linux.
  package func failures(of diff: Result<LiveObjects.Diff, LiveObjects.TrackingError>) -> [AssertionFailure] {
    Recorder.ignoring {
      switch diff {
      case .success(let diff): failures(of: diff)
      case .failure(.notAvailable): skipped(NotWatched.onThisSystem)
      case .failure(let error): [.unwatched("nothing was watched: \(error)")]
      }
    }
  }

  private func failures(of diff: LiveObjects.Diff) -> [AssertionFailure] {
    let findings = diff.findings.filter(fails)
    if !findings.isEmpty { return findings.map { .object(FindingText($0).description, $0) } }
    return growth(in: diff) + evaluationFailure(of: diff)
  }

  private func skipped(_ why: String) -> [AssertionFailure] {
    NotWatched.warn(why)
    return []
  }

  private func fails(_ finding: Finding) -> Bool {
    FailOn.leaks.includes(finding) || (finding.isActionable && isNamed(finding.type))
  }

  private func isNamed(_ type: String) -> Bool {
    guard case .growth(let names) = options.failing else { return false }
    return names.contains(where: type.contains)
  }

  /// Instances that no finding is named after, as what a collection keeps beside objects of another type.
  private func growth(in diff: LiveObjects.Diff) -> [AssertionFailure] {
    diff.types.filter { $0.growth > 0 && isNamed($0.type) }
      .map { .object("growth: \($0.type) (\($0.growth) more, \($0.growthBytes) bytes)") }
  }

  private func evaluationFailure(of diff: LiveObjects.Diff) -> [AssertionFailure] {
    if diff.isIncomplete { return [unwatched("not everything was watched", diff)] }
    guard let reason = diff.evaluationFailure else { return [] }
    let text = "leaks could not be evaluated: \(reason)"
    return options.unevaluated == .fails ? [unwatched(text, diff)] : skipped(text)
  }

  private func unwatched(_ text: String, _ diff: LiveObjects.Diff) -> AssertionFailure {
    .unwatched("\(text)\n\(diff)".replacing("\n", with: "\n  "))
  }
}
