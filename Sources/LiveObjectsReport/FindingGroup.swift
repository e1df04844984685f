import LiveObjectsAnalysis

/// The content below one title: one explained finding, or all growth of one type, which has a
/// finding for each function that allocated instances. Equal findings of several tests are one group.
struct FindingGroup {
  let callSites: [CallSiteGroup]
  /// Calls with missing releases, as listed by the findings.
  let retainedAt: [Finding.RetainingCallSite]
  private let name: String?
  /// All findings in the group as one, without merged call sites.
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
      explained(findings.filter { $0.verdict != .growth })
      + growth(of: findings.filter { $0.verdict == .growth })
    let order = Dictionary(uniqueKeysWithValues: zip(tests, tests.indices))
    return groups.map { group in
      var group = group
      group.tests.sort { order[$0] ?? .max < order[$1] ?? .max }
      return group
    }
  }

  /// Most important first; equal findings of several tests count as one.
  private static func explained(_ findings: [Finding]) -> [FindingGroup] {
    guard findings.contains(where: { $0.test != nil }) else {
      return findings.map { FindingGroup([$0], leftBy: [$0]) }
    }
    return Dictionary(grouping: findings, by: \.fingerprint).values
      .map { same in (merged: Finding.merged(same), all: same) }
      .sorted { Finding.precedes($0.merged, $1.merged) }
      .map { FindingGroup([$0.merged], leftBy: $0.all) }
  }

  private static func growth(of findings: [Finding]) -> [FindingGroup] {
    Dictionary(grouping: findings) { [$0.type, $0.kind.rawValue] }
      .values.map { FindingGroup($0, name: name(ofGrown: $0[0].type, $0[0].kind), leftBy: $0) }
      .sorted { ($1.instances, $1.bytes, $0.title) < ($0.instances, $0.bytes, $1.title) }
  }

  /// The title of growth, with its kind; the names of closures and boxes contain it.
  private static func name(ofGrown type: String, _ kind: ObjectKind) -> String {
    type.hasPrefix(kind.rawValue) ? type : "\(type)  (\(kind.rawValue))"
  }

  /// - Parameters:
  ///   - name: the title of growth.
  ///   - all: the findings of all tests, before they were merged.
  private init(_ findings: [Finding], name: String? = nil, leftBy all: [Finding]) {
    self.name = name
    sum = findings.dropFirst().reduce(into: findings[0]) { $0.add($1) }
    fingerprints = Set(findings.map(\.fingerprint)).sorted()
    callSites = CallSiteGroup.groups(of: findings.flatMap(\.allocatedAt))
    retainedAt = findings.flatMap(\.retainedAt)
    var seen: Set<TestName> = []
    tests = all.compactMap { TestName(of: $0) }.filter { seen.insert($0).inserted }
    hasUnattributed = all.contains { $0.test == nil }
  }

  var instances: Int { sum.instances }
  var bytes: UInt64 { sum.bytes }
  var hasVictims: Bool { sum.victims > 0 }
  /// Call sites that the findings do not list.
  var omittedCallSites: Int { sum.omittedCallSites }
  var remarks: [String] { sum.remarks }

  // Computed when shown: a report shows a few groups of what may be a hundred thousand.

  var title: String {
    "\(name ?? sum.title)  \(size)"
      + (fingerprints.count == 1 ? "  [\(fingerprints[0])]" : "")
  }

  /// Growth has none.
  var path: ShownPath? { ShownPath(of: sum) }

  /// Whether there are unbalanced retains, and none were recorded.
  var wantsRetains: Bool { sum.unexplainedRetains > 0 && retainedAt.isEmpty }

  /// `5 instances, 20 objects (5 of them victims), 640 bytes`
  private var size: String {
    var parts = [Count.of(sum.instances, "instance", "instances")]
    if sum.objects != sum.instances {
      let victims = hasVictims ? " (\(Count.of(sum.victims, "victim", "victims")))" : ""
      parts.append(Count.of(sum.objects, "object", "objects") + victims)
    }
    return (parts + [Count.bytes(sum.bytes)]).joined(separator: ", ")
  }
}
