package import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsReport

/// Turns a diff into what an assertion says when it fails.
package struct LeakCheck: Sendable {
  private let options: LiveObjects.LeakOptions

  package init(_ options: LiveObjects.LeakOptions) {
    self.options = options
  }

  /// Empty if the assertion holds.
  ///
  /// Only where nothing can be tracked at all, on other systems than Linux, does an unseen body pass.
  package func failures(of diff: Result<LiveObjects.Diff, LiveObjects.TrackingError>) -> [AssertionFailure] {
    Recorder.ignoring {
      switch diff {
      case .success(let diff): failures(of: diff)
      case .failure(.notAvailable): unwatched()
      case .failure(let error): [.unwatched("nothing was watched: \(error)")]
      }
    }
  }

  private func failures(of diff: LiveObjects.Diff) -> [AssertionFailure] {
    let findings = diff.findings.filter(fails)
    if !findings.isEmpty { return findings.map { .object(FindingText($0).description) } }
    return growth(in: diff) + blindness(of: diff)
  }

  private func unwatched() -> [AssertionFailure] {
    NotWatched.say()
    return []
  }

  private func fails(_ finding: Finding) -> Bool {
    FailOn.leaks.includes(finding) || (finding.isToBeMended && isNamed(finding.type))
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

  private func blindness(of diff: LiveObjects.Diff) -> [AssertionFailure] {
    diff.isIncomplete ? [.unwatched("not everything was watched\n\(diff)".replacing("\n", with: "\n  "))] : []
  }
}
