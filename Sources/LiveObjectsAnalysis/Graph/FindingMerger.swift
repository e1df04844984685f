import LiveObjectsCapture

/// Merges equal findings into one.
struct FindingMerger {
  private struct Entry {
    var finding: Finding
    var callSites = CallSites()
    var retains: [UInt32: (retains: Int, releases: Int)] = [:]
    /// The stack traces that allocated the objects.
    var allocators: Set<UInt32> = []
  }

  private var entries: [Finding.Key: Entry] = [:]

  /// - Parameters:
  ///   - finding: it gets its fingerprint here.
  ///   - subject: its name for the test. The fingerprint does not depend on it.
  ///   - sites: its objects by the stack traces that allocated them.
  ///   - types: names the types of the objects of a site.
  mutating func add(
    _ finding: Finding, as subject: Finding.Subject? = nil,
    _ sites: [AllocatedObjects], _ retainSites: [RetainSite], in traces: NamedTraces,
    types: (AllocatedObjects) -> Set<String> = { _ in [] }
  ) {
    var finding = finding
    let callSites = sites.map { traces.fromCallSite($0.stackTrace) }
    finding.fingerprint = fingerprint(of: finding, callSites.first, traces)
    if let subject { finding.name(after: subject) }
    let key = Finding.Key(finding)
    var entry = Entry(finding: finding)
    if let same = entries.removeValue(forKey: key) {
      entry = same
      entry.finding.add(finding)
    }
    for (site, callSite) in zip(sites, callSites) {
      entry.callSites.add(site, at: callSite, types(site))
      entry.allocators.insert(site.stackTrace)
    }
    for site in retainSites {
      entry.retains[site.stackTrace, default: (0, 0)].retains += Int(site.retains)
      entry.retains[site.stackTrace, default: (0, 0)].releases += Int(site.releases)
    }
    entries[key] = entry
  }

  /// The fingerprint of the types and properties on the path; without a path, of the function that allocated
  /// the first object. A sample does not show which functions allocated all objects.
  private func fingerprint(
    of finding: Finding, _ callSite: NamedTraces.Trace?, _ traces: NamedTraces
  ) -> String {
    var fields = [finding.verdict.rawValue]
    let path = finding.verdict == .leakedTask ? Self.stablePart(of: finding.path) : finding.path[...]
    if finding.verdict != .leakedTask { fields.append(finding.type) }
    for step in path { fields += [step.type, step.referenceWithoutElements] }
    if path.isEmpty, !traces.isSampled, let callSite {
      fields.append(callSite.first.map { traces.frames[$0].qualifiedFunction } ?? "")
    }
    return Fingerprint.make(fields)
  }

  /// The first step of a path through a task, if it is a property. The optimiser decides what else a task keeps, and
  /// in which function it is suspended.
  private static func stablePart(of path: [Finding.PathStep]) -> ArraySlice<Finding.PathStep> {
    path.prefix(1).filter { !$0.type.contains(" ") && !$0.type.hasSuffix(")") }[...]
  }

  func findings(with traces: NamedTraces) -> [Finding] {
    entries.values.map { entry in
      var finding = entry.finding
      let callSites = entry.callSites.listed(with: traces)
      finding.allocatedAt = callSites.sites
      finding.omittedCallSites = callSites.omitted
      finding.retainedAt = unmatched(entry, traces)
      if finding.verdict == .overRetained { finding.hint = Finding.Hint(retainedAt: finding.retainedAt) }
      return finding
    }
  }

  /// Call sites with missing releases, most of them first. A function that retains may release at another
  /// line, so equal functions with equal callers are one call site; it is shown at the line that retained.
  private func unmatched(
    _ entry: Entry, _ traces: NamedTraces
  ) -> [Finding.RetainingCallSite] {
    var sites: [[String]: RetainTally] = [:]
    for (stackTrace, counts) in entry.retains {
      let trace = traces.fromCallSite(stackTrace)
      let functions = trace.map { traces.frames[$0].qualifiedFunction }
      sites[functions, default: RetainTally()]
        .add(counts, at: trace, allocates: entry.allocators.contains(stackTrace))
    }
    return sites.values.filter { $0.missing > 0 }.sorted(by: RetainTally.precedes).map { site in
      Finding.RetainingCallSite(
        retains: site.retains, releases: site.releases, frames: site.trace.map { traces.frames[$0].source })
    }
  }
}

/// Retains and releases of one call site.
private struct RetainTally {
  private(set) var retains = 0
  private(set) var releases = 0
  /// The trace of most retains, not that of the allocation, which counts as one retain.
  private(set) var trace: NamedTraces.Trace = []
  private var weight = (retains: -1, isNoAllocation: 0)

  var missing: Int { retains - releases }

  mutating func add(
    _ counts: (retains: Int, releases: Int), at other: NamedTraces.Trace, allocates: Bool
  ) {
    retains += counts.retains
    releases += counts.releases
    let weight = (retains: counts.retains, isNoAllocation: allocates ? 0 : 1)
    guard
      self.weight < weight || (self.weight == weight && other.lexicographicallyPrecedes(trace))
    else { return }
    (trace, self.weight) = (other, weight)
  }

  static func precedes(_ a: RetainTally, _ b: RetainTally) -> Bool {
    a.missing == b.missing ? a.trace.lexicographicallyPrecedes(b.trace) : a.missing > b.missing
  }
}

/// The call sites of one finding, with the instances that each of them allocated.
struct CallSites {
  /// Call sites that a finding lists. Recursive code has as many as it has depths.
  private static let maximumListed = 32

  struct Site {
    var estimate = Estimate()
    var types: Set<String> = []
  }

  private var sites: [NamedTraces.Trace: Site] = [:]

  mutating func add(_ objects: AllocatedObjects, at trace: NamedTraces.Trace, _ types: Set<String> = []) {
    guard !trace.isEmpty else { return }
    sites[trace, default: Site()].estimate += objects.estimate
    sites[trace]?.types.formUnion(types)
  }

  /// Most instances first, those with as many in the order of their frames.
  func listed(
    with traces: NamedTraces, atMost limit: Int = maximumListed
  ) -> (sites: [Finding.CallSite], omitted: Int) {
    let sorted = sites.sorted { a, b in
      let (first, second) = (a.value.estimate.objects, b.value.estimate.objects)
      return first == second ? a.key.lexicographicallyPrecedes(b.key) : first > second
    }
    let listed = sorted.prefix(limit).map { trace, site in
      Finding.CallSite(
        site, isEstimated: traces.isSampled, frames: trace.map { traces.frames[$0].source })
    }
    return (listed, sorted.count - listed.count)
  }
}
