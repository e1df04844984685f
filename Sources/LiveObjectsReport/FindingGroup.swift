import LiveObjectsAnalysis

/// The findings about one type, which stand under one heading. There is one for each function that
/// allocated instances.
struct FindingGroup {
  let type: String
  let kind: ObjectKind
  let instances: Int
  let bytes: UInt64
  let callSites: [CallSiteGroup]
  /// Call sites that the findings do not list.
  let omittedCallSites: Int

  /// Most instances first.
  static func groups(of findings: [Finding]) -> [FindingGroup] {
    struct Key: Hashable {
      var type: String
      var kind: ObjectKind
    }
    return Dictionary(grouping: findings) { Key(type: $0.type, kind: $0.kind) }
      .values.map(FindingGroup.init).sorted(by: precedes)
  }

  private init(_ findings: [Finding]) {
    type = findings[0].type
    kind = findings[0].kind
    instances = findings.reduce(0) { $0 + $1.instances }
    bytes = findings.reduce(into: 0) { $0.add(saturating: $1.bytes) }
    callSites = CallSiteGroup.groups(of: findings.flatMap(\.allocatedAt))
    omittedCallSites = findings.reduce(0) { $0 + $1.omittedCallSites }
  }

  private static func precedes(_ a: FindingGroup, _ b: FindingGroup) -> Bool {
    (b.instances, b.bytes, a.type, a.kind.rawValue) < (a.instances, a.bytes, b.type, b.kind.rawValue)
  }
}
