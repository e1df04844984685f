import LiveObjectsCapture

/// The unreachable objects of a capture, and the holders of all others, from its references.
struct ReachabilityAnalysis {
  let graph: ReferenceGraph
  private(set) var leaks: [LeakGroup]
  /// Retains and releases from the ledger, by object.
  let retainSites: [UInt32: [RetainSite]]
  /// By object: whether it is evaluated; the others are there as holders only.
  let counted: [Bool]
  let scope: AnalysisScope
  let holders: HolderSearch
  let signatures: HeldSignatures
  private lazy var kept = KeptObjects(in: graph)
  /// The objects of all leaks.
  private let isLeaked: [Bool]
  /// Further objects that leaked tasks refer to.
  private let heldByLeakedTasks: Set<Int>
  /// Objects with a weak, unowned or unmanaged reference from an object that is no leak.
  private let weaklyReferenced: Set<Int>

  /// - Returns: `nil` where no references were read.
  init?(of scope: AnalysisScope) {
    let capture = scope.capture
    guard let heap = capture.graph, heap.status.wasRead else { return nil }
    let graph = ReferenceGraph(capture, heap)
    let isolation = Isolation(of: graph)
    let (counted, older) = (scope.counted, scope.older)
    var search = LeakSearch(in: graph, isolation, older: older)
    let released = Self.releasedNow(in: graph)
    let holders = HolderSearch(
      in: graph,
      isExcluded: { isolation[$0] != .held || capture.objects[$0].isPinned && !released.contains($0) },
      isOlder: { older[$0] })
    if !heap.status.isPartial { search.findOverRetained(holders) }
    search.take(scope.recorded.core, holders)
    self.graph = graph
    self.counted = counted
    self.scope = scope
    retainSites = search.retainSites
    self.holders = holders
    isLeaked = search.taken
    heldByLeakedTasks = Self.heldByLeakedTasks(of: search)
    weaklyReferenced = Self.weaklyReferenced(in: graph, isolation)
    leaks = search.groups.compactMap { group in
      guard !group.core.contains(where: { scope.recorded.objects.contains(Int($0)) }) else { return nil }
      return scope.owner(of: group, counted).map(group.attributed)
    }
    signatures = HeldSignatures(in: graph, holders)
    // What objects keep alive is searched only where it counts: it takes 15 % of a report on 10⁶ objects.
    guard graph.hasMemory else { return }
    for index in leaks.indices { leaks[index].bytesBehind = kept.bytes(behind: leaks[index].objects) }
  }

  /// The objects that threads are releasing: their properties may still hold what they refer to.
  private static func releasedNow(in graph: ReferenceGraph) -> Set<Int> {
    let inThreads = graph.heap.roots.lazy.filter { if case .stack = $0.place { true } else { false } }
    return Set(inThreads.map { Int($0.target) }.filter { graph.capture.objects[$0].isPinned })
  }

  /// - Parameters:
  ///   - findings: the objects of each finding about reachable objects.
  ///   - owners: the owner that each is reported with. Objects that came later than the baseline count, but for those of
  ///     another test.
  mutating func sizes(of findings: [[UInt32]], _ owners: [ObjectOwner]) -> RetainedSizes {
    guard findings.contains(where: { !$0.isEmpty }) else { return RetainedSizes(ofNothing: findings.count) }
    let (counted, scope) = (counted, scope)
    return RetainedSizes(of: findings, &kept) { finding, object in
      let owner = scope.reportedOwner(of: object)
      return counted[object] && (owner.test == nil || owner.test == owners[finding].test)
    }
  }

  private static func weaklyReferenced(in graph: ReferenceGraph, _ isolation: Isolation) -> Set<Int> {
    var objects: Set<Int> = []
    for reference in graph.heap.references.indices
    where graph.leadsWithoutHolding(reference) && isolation[graph.source(reference)] == .held {
      objects.insert(graph.target(reference))
    }
    return objects
  }

  /// Whether the object is part of a leak, or a leaked task refers to it: an old word elsewhere may equal the address of
  /// an object that only the task keeps alive.
  func isExplainedByLeak(_ object: Int) -> Bool { isLeaked[object] || heldByLeakedTasks.contains(object) }

  private static func heldByLeakedTasks(of search: LeakSearch) -> Set<Int> {
    let graph = search.graph
    var found: Set<Int> = []
    let tasks = search.groups.lazy.filter { $0.verdict == .leakedTask }
    _ = graph.objects(reachedFrom: tasks.flatMap(\.objects)) {
      let target = graph.target($0)
      return graph.isStrong($0) && !search.taken[target] && found.insert(target).inserted
    }
    return found
  }

  /// Whether running code may load a weak reference to the group, and break its cycle.
  func isWeaklyReferenced(_ group: LeakGroup) -> Bool {
    // A partial heap graph does not show the objects that have the weak references, and whether they are
    // alive.
    if graph.heap.status.isPartial {
      return group.objects.contains { graph.capture.objects[Int($0)].wasWeaklyReferenced }
    }
    return !weaklyReferenced.isEmpty && group.objects.contains { weaklyReferenced.contains(Int($0)) }
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

/// Trial deletion over the whole heap: finds objects that only hold each other.
///
/// An object with an unbalanced retain, one without a matching reference, is held from outside, and so are
/// all objects reachable from it. A reference that was missed only has an object count as held.
///
/// Test cases count as held too: XCTest releases them all when its last test is over, and an object in a
/// property of a test case is no leak.
struct Isolation {
  enum State: UInt8 {
    case held
    /// Unreachable, as the suspended tasks that hold it are: nothing can resume them.
    case waiting
    /// Unreachable if conservative references are references.
    case probably
    case definitely
  }
  private(set) var states: [State]
  /// By object: whether something can resume the task, unless a word is old; empty where no task waits for ever.
  private var isResumedByWords: [Bool] = []

  init(of graph: ReferenceGraph) {
    let isRooted = Self.rooted(in: graph)
    let definitely = Self.marked(in: graph) { object in
      graph.isTestCase(object) || graph.unexplained(object).map { $0 > 0 } ?? true
    }
    var probably = definitely
    // In most heaps none is conservative: the second search would find the same.
    if graph.conservative.contains(where: { $0 > 0 }) {
      probably = Self.marked(in: graph) { object in
        guard !graph.isTestCase(object), let unexplained = graph.unexplained(object) else { return true }
        let isExplicable = graph.kind(of: object) != .task && !isRooted[object]
        return unexplained - (isExplicable ? Int(graph.conservative[object]) : 0) > 0
      }
    }
    states = (0..<graph.count).map { object in
      if graph.capture.objects[object].isPinned { return .held }
      return definitely[object] ? (probably[object] ? .held : .probably) : .definitely
    }
    if !graph.heap.status.isPartial { findWaiting(in: graph) }
  }

  private mutating func findWaiting(in graph: ReferenceGraph) {
    guard let tasks = WaitingTasks(in: graph, where: { !$0.mayBeOld }) else { return }
    let isReachable = tasks.reachable
    let suspended = graph.heap.tasks.lazy.map { Int($0.object) }.filter(graph.isSuspendedTask)
    guard suspended.contains(where: { !isReachable[$0] }) else { return }
    for object in states.indices where states[object] == .held && !isReachable[object] {
      if !graph.capture.objects[object].isPinned { states[object] = .waiting }
    }
    let all = WaitingTasks(in: graph, where: { !$0.mayBeOld || Self.mayResume(Int($0.target), in: graph) })
    isResumedByWords = all?.reachable ?? isReachable
  }

  /// Whether a word in memory of C code with the object's address may be what resumes a task: a continuation, which has
  /// the task's own, or memory with one. Most programs retain other objects before they pass them to C code, and the
  /// count shows it; words with the addresses of those that have no such retain are taken for old.
  private static func mayResume(_ object: Int, in graph: ReferenceGraph) -> Bool {
    graph.isSuspendedTask(object) || graph.unexplained(object) == nil
  }

  /// What may refute that nothing can resume the tasks.
  func doubts(onWaiting tasks: some Sequence<Int>, in graph: ReferenceGraph) -> Set<Doubt> {
    let doubts = Doubt.all(on: graph.heap.status).union([.search])
    return tasks.contains { isResumedByWords[$0] } ? doubts.union([.oldWord]) : doubts
  }

  subscript(object: Int) -> State { states[object] }

  /// Objects with a conservative reference from outside of the heap, which may account for an unbalanced
  /// retain.
  ///
  /// A block that an object of the heap holds is left out: that is the same word, found twice.
  static func rooted(in graph: ReferenceGraph, where isRoot: (Root) -> Bool = { _ in true }) -> [Bool] {
    var isRooted = [Bool](repeating: false, count: graph.count)
    let blocks = graph.heldBlocks
    for root in graph.heap.roots where isRoot(root) {
      let isHeld = ReferenceGraph.HeldBlock(root).map(blocks.contains) ?? false
      isRooted[Int(root.target)] = isRooted[Int(root.target)] || !isHeld
    }
    return isRooted
  }

  /// Marks all objects reachable from objects that are held from outside.
  ///
  /// Raw buffers have no count and are no start: an object that one of them holds has an unbalanced retain
  /// itself, and they are full of stale pointers.
  private static func marked(in graph: ReferenceGraph, isHeld: (Int) -> Bool) -> [Bool] {
    var marked = (0..<graph.count).map(isHeld)
    graph.mark(&marked, from: { graph.kind(of: $0) != .rawBuffer }, by: { graph.mayHold($0) })
    return marked
  }
}
