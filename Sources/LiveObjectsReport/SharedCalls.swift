import LiveObjectsAnalysis

/// Leaks of different fingerprints that the same calls left behind: a channel that a helper binds and never
/// closes leaves several cycles, in each test that uses it.
///
/// The evidence has to be strict, because a wrong merge hides a leak. In each test, all objects of a finding
/// were allocated through one and the same line of each function of the program; each such call that left the
/// one finding behind also left the other one, in the same test; and their paths have a type in common.
struct SharedCalls {
  private struct Call: Hashable {
    var test: TestName?
    var frames: [SourceFrame]
  }

  private let verdict: Finding.Verdict
  private let types: Set<String>
  private let calls: Set<Call>

  /// - Returns: `nil` where the objects of a finding were allocated by several calls, or by unknown ones.
  private init?(_ findings: [Finding]) {
    guard findings[0].isUnreachable else { return nil }
    var calls: Set<Call> = []
    for finding in findings {
      let traces = Set(finding.allocatedAt.map { $0.frames.filter(\.isWrittenByUser) })
      guard finding.omittedCallSites == 0, traces.count == 1, let frames = traces.first, !frames.isEmpty
      else { return nil }
      calls.insert(Call(test: TestName(of: finding), frames: frames))
    }
    self.calls = calls
    verdict = findings[0].verdict
    types = Set(findings.flatMap { [$0.type] + $0.path.map(\.type) })
  }

  private func includes(_ other: SharedCalls) -> Bool {
    verdict == other.verdict && other.calls.isSubset(of: calls) && !types.isDisjoint(with: other.types)
  }

  /// The causes of findings, as groups of those with one fingerprint each.
  ///
  /// - Parameter groups: the findings of each fingerprint.
  static func joined(_ groups: [[Finding]]) -> [[[Finding]]] {
    var causes: [(first: SharedCalls, groups: [[Finding]])] = []
    var others: [[[Finding]]] = []
    var byCall: [Call: [Int]] = [:]
    for findings in mostTestsFirst(groups) {
      guard let shared = SharedCalls(findings), let call = shared.calls.first else {
        others.append([findings])
        continue
      }
      // More causes of one call come from a file that wants to take time.
      if let same = byCall[call]?.prefix(100).first(where: { causes[$0].first.includes(shared) }) {
        causes[same].groups.append(findings)
      } else {
        for call in shared.calls { byCall[call, default: []].append(causes.count) }
        causes.append((shared, [findings]))
      }
    }
    return causes.map(\.groups) + others
  }

  /// The others were left behind by some calls of the first ones.
  private static func mostTestsFirst(_ groups: [[Finding]]) -> [[Finding]] {
    groups.sorted { ($1.count, $0[0].fingerprint) < ($0.count, $1[0].fingerprint) }
  }
}

extension SourceFrame {
  /// Whether the frame is a line of the program.
  fileprivate var isWrittenByUser: Bool { isUserCode && !isCompilerGenerated && line != nil }
}
