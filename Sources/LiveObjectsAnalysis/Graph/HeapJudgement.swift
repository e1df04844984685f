import LiveObjectsCapture

/// What the references of a capture say about its objects: which are unreachable, and who holds the others.
struct HeapJudgement {
  let graph: ReferenceGraph
  let leaks: [LeakGroup]
  /// What the ledger knows, by object.
  let retainSites: [UInt32: [RetainSite]]
  /// Whether each object is judged; the others are there as holders only.
  let counted: [Bool]
  let judged: JudgedObjects
  let holders: HolderSearch
  let signatures: HeldSignatures
  /// The objects of all leaks.
  private let isLeaked: [Bool]
  /// Objects that one that is no leak refers to without keeping it alive.
  private let hasVisitors: Set<Int>

  /// - Returns: `nil` where no references were read.
  init?(of judged: JudgedObjects) {
    let capture = judged.capture
    guard let heap = capture.graph, heap.status.wasRead else { return nil }
    let graph = ReferenceGraph(capture, heap)
    let isolation = Isolation(of: graph)
    var search = LeakSearch(in: graph, isolation)
    let (counted, older) = (judged.counted, judged.older)
    let holders = HolderSearch(
      in: graph, isExcluded: { isolation[$0] != .held || capture.objects[$0].isPinned },
      isOlder: { older[$0] })
    if !heap.status.isPartial { search.findOverRetained(holders) }
    search.take(judged.recorded.core, holders)
    self.graph = graph
    self.counted = counted
    self.judged = judged
    retainSites = search.retainSites
    self.holders = holders
    isLeaked = search.taken
    hasVisitors = Set(
      heap.references.indices.lazy.filter { graph.leadsWithoutHolding($0) }
        .filter { isolation[graph.source($0)] == .held }.map(graph.target))
    leaks = search.groups.compactMap { group in
      guard !group.core.contains(where: judged.recorded.objects.contains) else { return nil }
      return judged.owner(of: group, counted).map { group.attributed(to: $0) }
    }
    signatures = HeldSignatures(in: graph, holders)
  }

  func isLeaked(_ object: Int) -> Bool { isLeaked[object] }

  /// Code that still runs may come to the group by a weak reference, and break its cycle.
  func hasVisitors(_ group: LeakGroup) -> Bool {
    let objects = [group.core, group.victims].joined()
    // Whose weak references they are, and whether from something alive, only the whole heap tells.
    if graph.heap.status.isPartial { return objects.contains { graph.capture.objects[$0].isVisited } }
    return !hasVisitors.isEmpty && objects.contains(where: hasVisitors.contains)
  }

  /// How an object is held; `nil` where no holder may be named.
  func signature(of object: Int) -> Int32? {
    let signature = signatures.signatures[object]
    return signature >= 0 && signatures.isNamed[Int(signature)] ? signature : nil
  }

  /// The function of a closure whose context this is, as the reference on the way to it tells.
  func function(of object: Int) -> UInt32? {
    holders.arrival(at: object).flatMap { graph.heap.references[$0].function }
  }
}
