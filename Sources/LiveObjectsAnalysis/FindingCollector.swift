/// Gathers what was left behind into findings: one for each type and allocating function.
struct FindingCollector {
  private struct Key: Hashable {
    var type: String
    var function: String
  }
  private struct Entry {
    var kind: ObjectKind
    var instances = 0
    var bytes: UInt64 = 0
    var unexplainedRetains = 0
    var callSites = CallSites()
  }

  private var entries: [Key: Entry] = [:]

  mutating func add(_ tally: Tally, of label: TypeLabel, from stackTrace: UInt32, in traces: NamedTraces) {
    let trace = traces.fromCallSite(stackTrace)
    let function = trace.first.map { traces.frames[$0].qualifiedFunction } ?? ""
    let key = Key(type: label.text, function: function)
    var entry = entries.removeValue(forKey: key) ?? Entry(kind: label.kind)
    entry.instances += tally.growth
    entry.bytes.add(saturating: tally.growthBytes)
    entry.unexplainedRetains += tally.unexplainedRetains
    entry.callSites.add(tally.growth, at: trace)
    entries[key] = entry
  }

  /// Most instances first; the same order in every run.
  func findings(with traces: NamedTraces) -> [Finding] {
    entries.map { finding($0, $1, with: traces) }.sorted(by: Finding.precedes)
  }

  private func finding(_ key: Key, _ entry: Entry, with traces: NamedTraces) -> Finding {
    let callSites = entry.callSites.listed(with: traces)
    let verdict = Finding.Verdict.growth
    return Finding(
      fingerprint: Fingerprint.make([verdict.rawValue, key.type, key.function]), verdict: verdict,
      type: key.type, kind: entry.kind, instances: entry.instances, objects: entry.instances,
      bytes: entry.bytes, allocatedAt: callSites.sites, omittedCallSites: callSites.omitted,
      unexplainedRetains: entry.unexplainedRetains, remarks: remarks(on: entry.unexplainedRetains))
  }

  private func remarks(on unexplainedRetains: Int) -> [String] {
    guard unexplainedRetains > 0 else { return [] }
    let retains = unexplainedRetains == 1 ? "1 retain is" : "\(unexplainedRetains) retains are"
    return [
      "\(retains) explained by no reference: a thread, memory of C code or a missing release may hold the objects."
    ]
  }
}

extension Finding {
  /// Leaks first, then what is held, then growth; most instances first, then the largest, then in alphabetical order.
  package static func precedes(_ a: Finding, _ b: Finding) -> Bool {
    (a.verdict.rank, b.instances, b.bytes, a.type, a.fingerprint)
      < (b.verdict.rank, a.instances, a.bytes, b.type, b.fingerprint)
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
