import LiveObjectsAnalysis

/// The content below one title: one explained finding, or all growth of one type, which has a
/// finding for each function that allocated instances. Equal findings of several tests are one group.
struct FindingGroup {
  let callSites: [CallSiteGroup]
  /// All findings in the group as one.
  private let sum: Finding
  /// The fingerprints of all findings in the group, sorted.
  let fingerprints: [String]
  /// The tests that left the objects behind, as they ran; empty for unattributed objects.
  private(set) var tests: [TestName]
  /// Whether some of the objects are unattributed.
  let hasUnattributed: Bool

  /// Explained findings in the order of the analysis, then growth by type, most instances first.
  ///
  /// - Parameter tests: in the order in which they ran.
  static func groups(of findings: [Finding], tests: [TestName]) -> [FindingGroup] {
    let groups =
      explained(findings.filter { $0.verdict != .growth }) + growth(findings.filter { $0.verdict == .growth })
    let order = Dictionary(uniqueKeysWithValues: zip(tests, tests.indices))
    return groups.map { group in
      var group = group
      group.tests.sort { order[$0] ?? .max < order[$1] ?? .max }
      return group
    }
  }

  /// Most important first; equal findings of several tests are one group.
  private static func explained(_ findings: [Finding]) -> [FindingGroup] {
    guard findings.contains(where: { $0.test != nil }) else { return findings.map { FindingGroup([$0]) } }
    return Dictionary(grouping: findings, by: \.fingerprint).values.map(FindingGroup.init)
      .sorted { Finding.precedes($0.sum, $1.sum) }
  }

  private static func growth(_ findings: [Finding]) -> [FindingGroup] {
    Dictionary(grouping: findings) { [$0.type, $0.kind.rawValue] }.values.map(FindingGroup.init)
      .sorted { ($1.instances, $1.bytes, $0.title) < ($0.instances, $0.bytes, $1.title) }
  }

  private init(_ findings: [Finding]) {
    sum = Finding.merged(findings)
    fingerprints = Set(findings.map(\.fingerprint)).sorted()
    callSites = CallSiteGroup.groups(of: sum.allocatedAt)
    var seen: Set<TestName> = []
    tests = findings.compactMap { TestName(of: $0) }.filter { seen.insert($0).inserted }
    hasUnattributed = findings.contains { $0.test == nil }
  }

  var instances: Int { sum.instances }
  var bytes: UInt64 { sum.bytes }
  var hasVictims: Bool { sum.victims > 0 }
  /// Call sites that the findings do not list.
  var omittedCallSites: Int { sum.omittedCallSites }
  var remarks: [String] { sum.remarks }
  /// Calls with missing releases.
  var retainedAt: [Finding.RetainingCallSite] { sum.retainedAt }

  // Computed when shown: a report shows a few groups of what may be a hundred thousand.

  var title: String {
    "\(name)  \(size)" + (fingerprints.count == 1 ? "  [\(fingerprints[0])]" : "")
  }

  /// The name of growth has its kind; the names of closures and boxes contain it.
  private var name: String {
    guard sum.verdict == .growth else { return sum.title }
    return sum.type.hasPrefix(sum.kind.rawValue) ? sum.type : "\(sum.type)  (\(sum.kind.rawValue))"
  }

  /// Growth has none.
  var path: ShownPath? { ShownPath(of: sum) }

  /// Whether there are unbalanced retains, and none were recorded.
  var wantsRetains: Bool { sum.unexplainedRetains > 0 && retainedAt.isEmpty }

  /// `5 instances, 20 objects (5 of them victims), 640 bytes`
  private var size: String {
    if let size = sum.collectionSize { return size }
    var parts = [Count.of(sum.instances, "instance", "instances")]
    if sum.objects != sum.instances {
      let victims = hasVictims ? " (\(Count.of(sum.victims, "victim", "victims")))" : ""
      parts.append(Count.of(sum.objects, "object", "objects") + victims)
    }
    return (parts + [Count.bytes(sum.bytes)]).joined(separator: ", ")
  }
}
