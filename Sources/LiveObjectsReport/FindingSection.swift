import LiveObjectsAnalysis

/// The parts of a text report, in their order.
enum FindingSection: CaseIterable {
  case leaks, held, growth, known, libraryLeaks

  /// The common property of the findings, and no more than is certain.
  var heading: String {
    switch self {
    case .leaks: "Leaks: unreachable objects that are still allocated"
    case .held: "Held: objects that are still reachable, which may be intended"
    case .growth: "Growth: objects that are still allocated, holder unknown"
    case .known: "Known issues: leaks that tests expect"
    case .libraryLeaks: "Library leaks: not caused by your code"
    }
  }

  /// Whether a command's exit status counts them, or with which option it would; leaks fail by default.
  func failing(_ failOn: FailOn) -> String {
    let reason = fails(failOn) ? "because of `--fail-on \(failOn.rawValue)`" : nil
    return switch self {
    case .leaks: failOn == .none ? "; the run fails only without `--fail-on none`" : ""
    case .held: "; the run fails \(reason ?? "only with `--fail-on held`")"
    case .growth: "; the run fails \(reason ?? "only with `--fail-on growth`")"
    case .known, .libraryLeaks: "; the run never fails because of them"
    }
  }

  private func fails(_ failOn: FailOn) -> Bool {
    self != .libraryLeaks && self != .known && failOn.verdicts.contains { Self.section(of: $0) == self }
  }

  func includes(_ finding: Finding) -> Bool {
    self == Self.section(of: finding)
  }

  private static func section(of finding: Finding) -> FindingSection {
    if finding.isLibraryLeak { return .libraryLeaks }
    return finding.isKnownIssue ? .known : section(of: finding.verdict)
  }

  private static func section(of verdict: Finding.Verdict) -> FindingSection {
    switch verdict {
    case .retainCycle, .overRetained: .leaks
    case .heldBy: .held
    case .growth: .growth
    }
  }
}
