/// The call sites of one finding, with the instances that each of them allocated.
struct CallSites {
  /// Call sites that a finding lists. Recursive code has as many as it has depths.
  private static let maximumListed = 32

  private var instances: [NamedTraces.Trace: Int] = [:]

  mutating func add(_ count: Int, at trace: NamedTraces.Trace) {
    guard !trace.isEmpty else { return }
    instances[trace, default: 0] += count
  }

  /// Most instances first, those with as many in the order of their frames.
  func listed(with traces: NamedTraces) -> (sites: [Finding.CallSite], omitted: Int) {
    let sorted = instances.sorted { a, b in
      a.value == b.value ? a.key.lexicographicallyPrecedes(b.key) : a.value > b.value
    }
    let sites = sorted.prefix(Self.maximumListed).map { trace, count in
      Finding.CallSite(instances: count, frames: trace.map { traces.frames[$0].source })
    }
    return (sites, sorted.count - sites.count)
  }
}
