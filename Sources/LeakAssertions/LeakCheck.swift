package import LiveObjects
package import LiveObjectsAnalysis
internal import LiveObjectsReport
internal import LiveObjectsSystem

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
    return growth(in: diff) + evaluationFailure(of: diff) + unknownNames
  }

  /// Names that no type has: the assertion would hold for ever.
  private var unknownNames: [AssertionFailure] {
    names.filter { !DeclaredTypes.mayContain($0) }.map {
      .unwatched("growth(of:) names \($0.debugDescription), which is in the name of no type of this process")
    }
  }

  private func skipped(_ why: String) -> [AssertionFailure] {
    NotWatched.warn(why)
    return []
  }

  private func fails(_ finding: Finding) -> Bool {
    FailOn.leaks.includes(finding) || (finding.isActionable && isNamed(finding.type))
  }

  private func isNamed(_ type: String) -> Bool { names.contains(where: type.contains) }

  private var names: [String] {
    guard case .growth(let names) = options.failing else { return [] }
    return names
  }

  /// Instances that no finding is named after: for example, a collection keeps them with objects of another type.
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

/// The failure of an assertion.
package struct AssertionFailure: Sendable {
  /// Human-readable text; lines after the first are indented.
  package let text: String
  /// Whether it is about an object that is still alive, not about missing tracking.
  package let concernsObject: Bool
  /// The leak that it names, for the report on the process; `nil` for reachable objects.
  package let leak: Finding?

  private init(_ text: String, concernsObject: Bool, leak: Finding? = nil) {
    self.text = text
    self.concernsObject = concernsObject
    self.leak = leak
  }

  static func object(_ text: String, _ finding: Finding? = nil) -> AssertionFailure {
    AssertionFailure(
      text, concernsObject: true, leak: finding.flatMap { FailOn.leaks.includes($0) ? $0 : nil })
  }

  package static func unwatched(_ text: String) -> AssertionFailure {
    AssertionFailure(text, concernsObject: false)
  }

  /// The text for the test library, with the user's own message, if any, on the first line.
  package func text(of assertion: String, _ message: String) -> String {
    guard !message.isEmpty else { return "\(assertion): \(text)" }
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    return "\(assertion): \(text[..<end]) - \(message)\(text[end...])"
  }
}

/// The warnings of assertions that pass without tracking.
package enum NotWatched {
  package static let onThisSystem =
    "not watched: on this system objects cannot be tracked, and assertions pass."

  private static let printed = Locked<Set<String>>([])

  /// Writes a line on standard error, each only once.
  package static func warn(_ why: String) {
    guard printed.withLock({ $0.insert(why).inserted }) else { return }
    _ = writeAll(Array("LiveObjects: \(why)\n".utf8), to: STDERR_FILENO)
  }
}
