import LiveObjectsAnalysis

/// The findings that make a run fail. Each choice includes those before it.
public enum FailOn: String, Sendable, CaseIterable {
  /// Unreachable objects.
  case leaks
  /// Also reachable objects with a known holder.
  case held
  /// Also growth with an unknown holder.
  case growth
  /// Nothing fails.
  case none

  /// Whether a finding makes the run fail. Leaks of the toolchain's own libraries and known issues never do.
  package func includes(_ finding: Finding) -> Bool {
    finding.isActionable && verdicts.contains(finding.verdict)
  }

  var verdicts: [Finding.Verdict] {
    switch self {
    case .leaks: [.retainCycle, .overRetained]
    case .held: [.retainCycle, .overRetained, .heldBy]
    case .growth: Finding.Verdict.allCases
    case .none: []
    }
  }
}
