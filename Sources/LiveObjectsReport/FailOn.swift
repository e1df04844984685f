import LiveObjectsAnalysis

/// Which findings make a run fail. Each choice includes those before it.
public enum FailOn: String, Sendable, CaseIterable {
  /// Objects that nothing can reach any more.
  case leaks
  /// Also growth whose holder is known.
  case held
  /// Also growth whose holder is not known.
  case growth
  /// Nothing fails.
  case none

  /// Leaks of the toolchain's own libraries fail nothing, nor does what a test has declared known.
  package func includes(_ finding: Finding) -> Bool {
    finding.isToBeMended && verdicts.contains(finding.verdict)
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
