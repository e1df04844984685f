import LiveObjectsAnalysis

/// The parts of a text report, in their order.
enum FindingSection: CaseIterable {
  case leaks, held, growth, known, libraryLeaks

  /// What the findings have in common: nobody shall read more into them than is known.
  var heading: String {
    switch self {
    case .leaks: "Leaks: nothing can reach these objects any more"
    case .held: "Held: alive and reachable, which may be intended"
    case .growth: "Growth: whether it leaks is not known"
    case .known: "Known: tests expect to leave this behind"
    case .libraryLeaks: "Leaks within libraries: not yours to mend"
    }
  }

  /// Whether a command's exit status counts them, or when it would; what leaks fails unless it was asked not to.
  func failing(_ failOn: FailOn) -> String {
    let reason = fails(failOn) ? "because of `--fail-on \(failOn.rawValue)`" : nil
    return switch self {
    case .leaks: failOn == .none ? "; fails only without `--fail-on none`" : ""
    case .held: "; fails \(reason ?? "only with `--fail-on held`")"
    case .growth: "; fails \(reason ?? "only with `--fail-on growth`")"
    case .known: ", and it never fails"
    case .libraryLeaks: ", and never fail"
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
    return finding.isKnown ? .known : section(of: finding.verdict)
  }

  private static func section(of verdict: Finding.Verdict) -> FindingSection {
    switch verdict {
    case .retainCycle, .overRetained: .leaks
    case .heldBy: .held
    case .growth: .growth
    }
  }
}
