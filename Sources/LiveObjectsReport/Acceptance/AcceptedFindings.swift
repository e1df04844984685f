import LiveObjectsAnalysis

/// The findings that fail nothing: those of a baseline, and those that suppressions match.
package struct AcceptedFindings: Sendable {
  /// The most bytes of a file with either of them: watched processes read it too.
  package static let mostBytes = 64 << 20

  package var baseline: Baseline
  package var suppressions: Suppressions

  package init(baseline: Baseline = Baseline(), suppressions: Suppressions = Suppressions()) {
    (self.baseline, self.suppressions) = (baseline, suppressions)
  }

  /// Whether a finding is accepted, and why. Suppressions come first: their entries in a baseline are of no use.
  package func acceptance(of finding: Finding) -> Finding.Acceptance? {
    if let rule = suppressions.rule(for: finding) { return .suppression(rule.text) }
    return baseline.contains(finding) ? .baseline : nil
  }
}

extension Report {
  /// What became of the baseline and of the suppressions.
  public struct Accepted: Sendable, Hashable {
    /// The path of the baseline; `nil` without one.
    public var baselineFile: String?
    /// The path of the suppressions; `nil` without any.
    public var suppressionsFile: String?
    /// The lines of the baseline whose findings no longer occur.
    public var staleEntries: [String] = []
    /// The suppressions with the number of findings that each matched, in the order of the file.
    public var suppressions: [Suppression] = []
    /// What the command has done with the baseline.
    public var change: Change?
    public init() {}

    /// A change of the baseline's file.
    public enum Change: Sendable, Hashable {
      /// It was written, with this number of entries.
      case written(entries: Int)
      /// The stale entries were removed.
      case pruned
    }
  }

  /// A suppression, and the number of findings that it matched.
  public struct Suppression: Sendable, Hashable {
    /// `leak:PATTERN` or `test:PATTERN`.
    public var text: String
    /// The line in the file, from 1 on.
    public var line: Int
    public var findings: Int
  }

  /// Accepts findings. Those of the toolchain's libraries and known issues stay what they are.
  ///
  /// - Returns: the entries of the baseline that are stale.
  package mutating func accept(_ accepted: AcceptedFindings, ranAllTests: Bool) -> [Baseline.Entry] {
    for index in findings.indices where findings[index].isActionable {
      findings[index].acceptance = accepted.acceptance(of: findings[index])
    }
    for index in released.indices { released[index].acceptance = accepted.acceptance(of: released[index]) }
    let matches = findings.reduce(into: [String: Int]()) { matches, finding in
      if case .suppression(let text) = finding.acceptance { matches[text, default: 0] += 1 }
    }
    self.accepted.suppressions = accepted.suppressions.rules.map {
      Suppression(text: $0.text, line: $0.line, findings: matches[$0.text] ?? 0)
    }
    let stale = accepted.baseline.stale(in: self, ranAllTests: ranAllTests)
    self.accepted.staleEntries = stale.map(\.line)
    return stale
  }
}
