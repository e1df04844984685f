import LiveObjectsCapture

/// What objects alone keep alive: what would be freed with them.
///
/// A word without a type that may be a pointer keeps nothing alive by itself. What only such words lead to counts as held
/// from outside, and so does an object with more retains than references and pointers lead to it.
struct KeptObjects {
  /// Objects, and blocks of `HeapGraph.blocks`, whose numbers follow those of the objects.
  typealias Node = UInt32

  private let graph: ReferenceGraph
  /// By object: whether something outside of the heap holds it, as far as the counts show it.
  private let isHeldFromOutside: [Bool]
  /// Needed only if a walk meets an object that others refer to as well.
  private lazy var dominators = Dominators(of: Self.edges(of: graph)) { isHeldFromOutside[$0] }
  /// By node: how many references keep it alive, and one more for an object that is held from outside.
  private let entries: [UInt32]
  /// From objects to the blocks that they point to.
  private let blocks: Adjacency
  /// The first object that points to a block.
  private let blockObjects: [UInt32]
  /// By node, during a walk: the entries that were not met yet.
  private var missing: [UInt32]
  private var met: [Node] = []
  private var isKept: [Bool]
  /// Nodes that may still be visited. Findings may be nested as deep as a heap is large; the time would grow with the
  /// square of that.
  private var budget: Int

  private static let mostVisitsOfNode = 32

  init(in graph: ReferenceGraph) {
    self.graph = graph
    var entries = [UInt32](repeating: 0, count: graph.count + graph.heap.blocks.count)
    var pointers = [UInt32](repeating: 0, count: graph.count)
    for index in graph.heap.references.indices where graph.keepsAlive(index) {
      let target = graph.target(index)
      entries[target] += graph.source(index) == target ? 0 : 1
      pointers[target] += graph.isStrong(index) ? 0 : 1
    }
    isHeldFromOutside = Self.heldFromOutside(in: graph, pointers)
    for object in isHeldFromOutside.indices { entries[object] += isHeldFromOutside[object] ? 1 : 0 }
    var blockObjects = [UInt32](repeating: .max, count: graph.heap.blocks.count)
    for owner in graph.heap.blockOwners {
      entries[graph.count + Int(owner.block)] += 1
      blockObjects[Int(owner.block)] = min(blockObjects[Int(owner.block)], owner.object)
    }
    (self.entries, self.blockObjects) = (entries, blockObjects)
    blocks = Adjacency(count: graph.heap.blocks.isEmpty ? 0 : graph.count) { edge in
      for owner in graph.heap.blockOwners { edge(Int(owner.object), Int(owner.block)) }
    }
    missing = entries
    isKept = [Bool](repeating: false, count: entries.count)
    budget = Self.mostVisitsOfNode * entries.count + 1_000_000
  }

  private static func edges(of graph: ReferenceGraph) -> Adjacency {
    Adjacency(count: graph.count) { edge in
      for index in graph.heap.references.indices where graph.keepsAlive(index) {
        edge(graph.source(index), graph.target(index))
      }
    }
  }

  /// - Parameter pointers: by object: how many references that are not strong keep it alive.
  private static func heldFromOutside(in graph: ReferenceGraph, _ pointers: [UInt32]) -> [Bool] {
    let isRooted = Isolation.rooted(in: graph) { !$0.mayBeOld }
    return (0..<graph.count).map { object in
      if graph.isTestCase(object) || graph.isLost(object) { return true }
      if let task = graph.task(of: object) { return graph.heap.tasks[task].state != .complete }
      guard !graph.capture.objects[object].isPinned, let unexplained = graph.unexplained(object) else {
        return pointers[object] == 0 && graph.strong[object] == 0 || isRooted[object]
      }
      return unexplained > Int(pointers[object]) || unexplained > 0 && isRooted[object]
    }
  }

  /// The objects, then all that would be freed with them.
  mutating func kept(by core: [UInt32]) -> [Node] {
    let graph = graph  // else it is retained for each reference
    for object in core { isKept[Int(object)] = true }
    var nodes = core
    nodes += graph.objects(reachedFrom: core) { reference in
      graph.keepsAlive(reference) && frees(Node(graph.target(reference)), with: graph.source(reference))
    }
    budget -= nodes.count
    if blocks.count > 0 {
      for object in nodes {
        for edge in blocks.edges(from: Int(object)) {
          let block = Node(graph.count + blocks.target(edge))
          if frees(block, with: Int(object)) { nodes.append(block) }
        }
      }
    }
    for node in met { missing[Int(node)] = entries[Int(node)] }
    for node in nodes { isKept[Int(node)] = false }
    met = []
    return nodes
  }

  /// Whether one of its holders is the last that was missing, or it has a dominator that is freed: the walk meets that one
  /// before.
  private mutating func frees(_ node: Node, with holder: Int) -> Bool {
    let index = Int(node)
    guard !isKept[index], index != holder, budget > 0 else { return false }
    missing[index] -= 1
    met.append(node)
    isKept[index] = missing[index] == 0 || hasKeptDominator(index)
    return isKept[index]
  }

  private mutating func hasKeptDominator(_ node: Int) -> Bool {
    guard node < graph.count else { return false }
    let dominator = dominators.immediate[node]
    return dominator < graph.count && isKept[Int(dominator)]
  }

  /// The bytes of raw buffers and blocks that leaked objects alone point to.
  mutating func bytes(behind objects: [UInt32]) -> UInt64 {
    kept(by: objects).dropFirst(objects.count).reduce(into: 0) { sum, node in
      guard Int(node) >= graph.count || graph.kind(of: Int(node)) == .rawBuffer else { return }
      sum.add(saturating: bytes(of: node))
    }
  }

  /// The number of nodes.
  var count: Int { entries.count }

  func bytes(of node: Node) -> UInt64 {
    let index = Int(node)
    return index < graph.count
      ? graph.capture.objects[index].bytes : graph.heap.blocks[index - graph.count]
  }

  /// The object itself, or the first one that refers to the block.
  func object(of node: Node) -> Int {
    let index = Int(node)
    return index < graph.count ? index : Int(blockObjects[index - graph.count])
  }
}

/// The bytes of findings, in the order of their objects.
struct RetainedSizes {
  struct Size {
    /// What the objects keep alive, they themselves included.
    var bytes: UInt64 = 0
    /// Of these, what no finding inside of it counts: the sum over all findings counts nothing twice.
    var ownBytes: UInt64 = 0
  }

  private var sizes: [Size]

  init(ofNothing count: Int) { sizes = [Size](repeating: Size(), count: count) }

  subscript(finding: Int) -> Size { sizes[finding] }

  /// - Parameters:
  ///   - findings: the objects of each; an object is one of one finding.
  ///   - counts: whether an object that a finding keeps alive is counted with it.
  init(of findings: [[UInt32]], _ kept: inout KeptObjects, counts: (_ finding: Int, _ object: Int) -> Bool) {
    let all = findings.map { kept.kept(by: $0) }
    self.init(ofNothing: all.count)
    let innermost = Self.innermost(of: all, findings, nodes: kept.count)
    for (finding, nodes) in all.enumerated() {
      for (index, node) in nodes.enumerated()
      where index < findings[finding].count || counts(finding, kept.object(of: node)) {
        sizes[finding].bytes.add(saturating: kept.bytes(of: node))
        guard innermost[Int(node)] == finding else { continue }
        sizes[finding].ownBytes.add(saturating: kept.bytes(of: node))
      }
    }
  }

  /// By node: the finding that has it, else the smallest that keeps it alive.
  private static func innermost(
    of all: [[KeptObjects.Node]], _ findings: [[UInt32]], nodes: Int
  ) -> [Int32] {
    var innermost = [Int32](repeating: -1, count: nodes)
    for finding in all.indices.sorted(by: { (all[$1].count, $1) < (all[$0].count, $0) }) {
      for node in all[finding] { innermost[Int(node)] = Int32(finding) }
    }
    for (finding, objects) in findings.enumerated() {
      for object in objects { innermost[Int(object)] = Int32(finding) }
    }
    return innermost
  }
}
