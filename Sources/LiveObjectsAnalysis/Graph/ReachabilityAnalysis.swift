import LiveObjectsCapture

/// The unreachable objects of a capture, and the holders of all others, from its references.
struct ReachabilityAnalysis {
  let graph: ReferenceGraph
  let leaks: [LeakGroup]
  /// Retains and releases from the ledger, by object.
  let retainSites: [UInt32: [RetainSite]]
  /// By object: whether it is evaluated; the others are there as holders only.
  let counted: [Bool]
  let scope: AnalysisScope
  let holders: HolderSearch
  let signatures: HeldSignatures
  /// The objects of all leaks.
  private let isLeaked: [Bool]
  /// Objects with a weak, unowned or unmanaged reference from an object that is no leak.
  private let weaklyReferenced: Set<Int>

  /// - Returns: `nil` where no references were read.
  init?(of scope: AnalysisScope) {
    let capture = scope.capture
    guard let heap = capture.graph, heap.status.wasRead else { return nil }
    let graph = ReferenceGraph(capture, heap)
    let isolation = Isolation(of: graph)
    var search = LeakSearch(in: graph, isolation)
    let (counted, older) = (scope.counted, scope.older)
    let holders = HolderSearch(
      in: graph, isExcluded: { isolation[$0] != .held || capture.objects[$0].isPinned },
      isOlder: { older[$0] })
    if !heap.status.isPartial { search.findOverRetained(holders) }
    search.take(scope.recorded.core, holders)
    self.graph = graph
    self.counted = counted
    self.scope = scope
    retainSites = search.retainSites
    self.holders = holders
    isLeaked = search.taken
    weaklyReferenced = Set(
      heap.references.indices.lazy.filter { graph.leadsWithoutHolding($0) }
        .filter { isolation[graph.source($0)] == .held }.map(graph.target))
    leaks = search.groups.compactMap { group in
      guard !group.core.contains(where: scope.recorded.objects.contains) else { return nil }
      return scope.owner(of: group, counted).map { group.attributed(to: $0) }
    }
    signatures = HeldSignatures(in: graph, holders)
  }

  func isLeaked(_ object: Int) -> Bool { isLeaked[object] }

  /// Whether running code may load a weak reference to the group, and break its cycle.
  func isWeaklyReferenced(_ group: LeakGroup) -> Bool {
    let objects = [group.core, group.victims].joined()
    // A partial heap graph does not show the objects that have the weak references, and whether they are
    // alive.
    if graph.heap.status.isPartial {
      return objects.contains { graph.capture.objects[$0].wasWeaklyReferenced }
    }
    return !weaklyReferenced.isEmpty && objects.contains(where: weaklyReferenced.contains)
  }

  /// The signature of the path to an object; `nil` where no holder may be named.
  func signature(of object: Int) -> Int32? {
    let signature = signatures.signatures[object]
    return signature >= 0 && signatures.isNamed[Int(signature)] ? signature : nil
  }

  /// The function of a closure with this context, from the reference on the path to it.
  func function(of object: Int) -> UInt32? {
    holders.arrival(at: object).flatMap { graph.heap.references[$0].function }
  }
}
