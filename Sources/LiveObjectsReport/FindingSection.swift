import LiveObjectsAnalysis

/// The parts of a text report, in their order.
enum FindingSection: CaseIterable {
  case leaks, held, growth, libraryLeaks

  /// What the findings have in common: nobody shall read more into them than is known.
  var heading: String {
    switch self {
    case .leaks: "Leaks: nothing can reach these objects any more"
    case .held: "Held: alive and reachable, which may be intended"
    case .growth: "Growth: whether it leaks is not known"
    case .libraryLeaks: "Leaks within libraries: not yours to mend"
    }
  }

  /// When a command's exit status counts them.
  var failing: String {
    switch self {
    case .leaks: ""
    case .held: "; fails only with `--fail-on held`"
    case .growth: "; fails only with `--fail-on growth`"
    case .libraryLeaks: ", and never fail"
    }
  }

  func includes(_ finding: Finding) -> Bool {
    finding.isLibraryLeak ? self == .libraryLeaks : self == Self.section(of: finding.verdict)
  }

  private static func section(of verdict: Finding.Verdict) -> FindingSection {
    switch verdict {
    case .retainCycle, .overRetained: .leaks
    case .heldBy: .held
    case .growth: .growth
    }
  }
}
