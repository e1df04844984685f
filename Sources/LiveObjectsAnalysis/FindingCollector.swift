import LiveObjectsCapture

/// Collects growth into findings: one for each type, allocating function and test.
struct FindingCollector {
  private struct Key: Hashable {
    var type: String
    var function: String
    var owner: ObjectOwner
  }
  private struct Entry {
    var kind: ObjectKind
    var instances = 0
    var bytes: UInt64 = 0
    var unexplainedRetains = 0
    var callSites = CallSites()
    var members: [Int] = []
  }

  private let scope: AnalysisScope
  private var entries: [Key: Entry] = [:]

  init(for scope: AnalysisScope) {
    self.scope = scope
  }

  mutating func add(_ group: ObjectGroup, of label: TypeLabel, in traces: NamedTraces) {
    let tally = group.tally
    let trace = traces.fromCallSite(group.stackTrace)
    let function = trace.first.map { traces.frames[$0].qualifiedFunction } ?? ""
    let key = Key(
      type: label.text, function: function, owner: scope.reportedOwner(for: group.owner))
    var entry = entries.removeValue(forKey: key) ?? Entry(kind: label.kind)
    entry.instances += tally.growth
    entry.bytes.add(saturating: tally.growthBytes)
    entry.unexplainedRetains += tally.unexplainedRetains
    entry.callSites.add(tally.growth, at: trace)
    entry.members += group.members
    entries[key] = entry
  }

  /// Most instances first; the same order in every run.
  func findings(with traces: NamedTraces) -> [Finding] {
    entries.map { finding($0, $1, with: traces) }.sorted(by: Finding.precedes)
  }

  private func finding(_ key: Key, _ entry: Entry, with traces: NamedTraces) -> Finding {
    let callSites = entry.callSites.listed(with: traces)
    let verdict = Finding.Verdict.growth
    var finding = Finding(
      fingerprint: Fingerprint.make([verdict.rawValue, key.type, key.function]), verdict: verdict,
      type: key.type, kind: entry.kind, instances: entry.instances, objects: entry.instances,
      bytes: entry.bytes, allocatedAt: callSites.sites, omittedCallSites: callSites.omitted,
      unexplainedRetains: entry.unexplainedRetains, remarks: remarks(on: entry.unexplainedRetains))
    finding.attribute(to: key.owner, of: scope.attribution)
    finding.members = entry.members.enumerated().map { number, object in
      TestFinding.Object(scope.capture.objects[object], instance: number, isCore: true)
    }
    return finding
  }

  private func remarks(on unexplainedRetains: Int) -> [String] {
    guard unexplainedRetains > 0 else { return [] }
    let retains = unexplainedRetains == 1 ? "1 retain" : "\(unexplainedRetains) retains"
    return [
      "No reference accounts for \(retains): a thread, C memory or a missing release may keep the objects alive."
    ]
  }
}

extension Finding {
  /// Leaks first, then held objects, then growth; most instances first, then the largest, then in
  /// alphabetical order.
  package static func precedes(_ a: Finding, _ b: Finding) -> Bool {
    let first = (a.verdict.rank, b.instances, b.bytes, a.type, a.fingerprint)
    let second = (b.verdict.rank, a.instances, a.bytes, b.type, b.fingerprint)
    guard first == second else { return first < second }
    return (a.test ?? "", a.testCase ?? "", a.isKnownIssue ? 1 : 0)
      < (b.test ?? "", b.testCase ?? "", b.isKnownIssue ? 1 : 0)
  }
}

extension Finding.Verdict {
  fileprivate var rank: Int {
    switch self {
    case .retainCycle: 0
    case .overRetained: 1
    case .heldBy: 2
    case .growth: 3
    }
  }
}
