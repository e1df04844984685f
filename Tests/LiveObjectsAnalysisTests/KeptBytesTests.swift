import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// The bytes of a finding are those that would be freed with its objects.
@Suite struct KeptBytesTests {
  private var builder = CaptureBuilder()

  private mutating func object(
    _ type: String, _ bytes: UInt64, kind: TypeDescription.Kind = .classInstance, strongCount: UInt32? = 1
  ) -> UInt32 {
    builder.object(of: builder.type(type, kind: kind), bytes: bytes, strongCount: strongCount)
  }

  private func bytes() -> [String: UInt64] {
    Dictionary(uniqueKeysWithValues: analyse(builder).findings.map { ($0.type, $0.bytes) })
  }

  /// One object for each node, of a type of its own. A root is in a global variable.
  private static func capture(of graph: RandomGraph) -> CaptureBuilder {
    var builder = CaptureBuilder()
    let label = builder.label(ReferenceLabel(.property, text: "next"))
    for node in graph.nodes {
      let count = graph.edges.count { $0.target == node } + (graph.roots.contains(node) ? 1 : 0)
      builder.objects(
        of: builder.type("Demo.Type\(node)"), bytes: graph.bytes(of: node), strongCount: UInt32(count))
    }
    builder.references(
      graph.edges.map { Reference(from: UInt32($0.source), to: UInt32($0.target), label: label) })
    for root in graph.roots { builder.global(UInt64(0x900 + 8 * root), to: UInt32(root)) }
    return builder
  }

  @Test func theyAreWhatNoPathWithoutTheObjectLeadsTo() {
    var generator = SplitMix(state: 43)
    for _ in 0..<500 {
      let graph = RandomGraph(&generator)
      let findings = analyse(Self.capture(of: graph)).findings.filter { $0.verdict == .heldBy }
      let reachable = graph.reachable(without: nil)
      #expect(findings.count == reachable.count)
      for finding in findings {
        let node = Int(finding.type.dropFirst("Demo.Type".count))!
        let freed = reachable.subtracting(graph.reachable(without: node))
        #expect(finding.bytes == freed.reduce(0) { $0 + graph.bytes(of: $1) }, "\(finding.type) in \(graph)")
      }
      let all = reachable.reduce(0) { $0 + graph.bytes(of: $1) }
      #expect(findings.reduce(0) { $0 + $1.ownBytes } == all, "\(graph)")
    }
  }

  /// Neither of them keeps the photo alive by itself.
  @Test mutating func theyAreWhatTheObjectsOfTheFindingHoldTogether() {
    let photo = object("Demo.Photo", 5000, strongCount: 2)
    let list = object("Swift._ContiguousArrayStorage<Demo.Store>", 48)
    builder.global(0x900, to: list)
    for store in builder.objects(2, of: builder.type("Demo.Store"), bytes: 64, strongCount: 1) {
      builder.reference(from: list, to: UInt32(store), ReferenceLabel(.element), element: 0)
      builder.reference(from: UInt32(store), to: photo, property: "photo")
    }
    #expect(bytes()["Demo.Store"] == 5128)
  }

  @Test mutating func aWordThatMayBeOldKeepsNothingAlive() {
    let (store, context) = (object("Demo.Store", 64), object("", 32, kind: .closureContextOrBox))
    builder.global(0x900, to: store)
    builder.reference(from: store, to: context, property: "work")
    let page = object("Demo.Page", 5000)
    builder.reference(from: context, to: page, ReferenceLabel(.memory, ownership: .conservative))
    #expect(bytes()["Demo.Store"] == 96)
  }

  /// A container of the program's own: its strings have no other holder than words in its memory.
  @Test(arguments: [true, false]) mutating func elementsInMemoryBehindAPointerCount(isShared: Bool) {
    let (store, memory) = (object("Demo.Store", 64), object("", 800, kind: .rawBuffer, strongCount: nil))
    builder.global(0x900, to: store)
    builder.reference(
      from: store, to: memory, ReferenceLabel(.memory, ownership: .unmanaged))
    let page = object("Demo.Page", 5000, strongCount: isShared ? 2 : 1)
    builder.reference(from: memory, to: page, ReferenceLabel(.memory, ownership: .conservative))
    #expect(bytes()["Demo.Store"] == (isShared ? 864 : 5864))
  }

  @Test mutating func memoryThatUnownedReferencesKeepCounts() {
    let store = object("Demo.Store", 64)
    builder.global(0x900, to: store)
    let tile = UInt32(builder.objects(of: builder.type("Demo.Tile"), bytes: 2000, isPinned: true).lowerBound)
    builder.reference(from: store, to: tile, property: "tile", .unowned)
    #expect(bytes()["Demo.Store"] == 2064)
  }

  /// A block with two owners is counted with what keeps both of them alive.
  @Test(arguments: [true, false]) mutating func blocksOfTheAllocatorCount(isShared: Bool) throws {
    let (store, part) = (object("Demo.Store", 64), object("Demo.Part", 32))
    builder.global(0x900, to: store)
    builder.reference(from: store, to: part, property: "part")
    let block = builder.block(of: 100_000, ownedBy: isShared ? [store, part] : [part])
    #expect(block == 0)
    #expect(bytes() == ["Demo.Store": 100_096, "Demo.Part": isShared ? 32 : 100_032])
    let decoded = try #require(try Capture(decoding: builder.bytes).graph)
    #expect(decoded.blocks == [100_000])
    #expect(decoded.blockOwners == builder.capture.graph?.blockOwners)
  }

  /// The storage has no known holder either, and is no finding of its own.
  @Test mutating func storageOfAnObjectWithoutAKnownHolderIsItsOwn() throws {
    let store = object("Demo.Store", 64)
    let storage = object("Swift._ContiguousArrayStorage<Swift.Int>", 1000)
    builder.reference(from: store, to: storage, property: "numbers")
    builder.root(.cMemory(address: 0x900), to: store)
    let finding = try #require(analyse(builder).findings.first)
    #expect((finding.verdict, finding.bytes, finding.ownBytes) == (.growth, 1064, 1064))
  }

  @Test mutating func blocksOfLeakedObjectsCount() throws {
    let node = object("Demo.Node", 32)
    builder.reference(from: node, to: node, property: "itself")
    _ = builder.block(of: 1000, ownedBy: [node])
    let memory = object("", 800, kind: .rawBuffer, strongCount: nil)
    builder.reference(from: node, to: memory, ReferenceLabel(.memory, ownership: .unmanaged))
    #expect(bytes() == ["Demo.Node": 1832])
  }
}

/// A graph of at most eight nodes, some of them roots.
private struct RandomGraph {
  let nodes: Range<Int>
  let roots: Set<Int>
  let edges: [(source: Int, target: Int)]

  init(_ generator: inout SplitMix) {
    let nodes = 0..<Int.random(in: 1...8, using: &generator)
    self.nodes = nodes
    roots = Set(nodes.filter { $0 == 0 || Int.random(in: 0..<6, using: &generator) == 0 })
    edges = (0..<Int.random(in: 0...16, using: &generator)).map { _ in
      (Int.random(in: nodes, using: &generator), Int.random(in: nodes, using: &generator))
    }
    .sorted { $0.source < $1.source }
  }

  func bytes(of node: Int) -> UInt64 { 1 << UInt64(4 * node) }

  func reachable(without removed: Int?) -> Set<Int> {
    var found = roots.filter { $0 != removed }
    var open = Array(found)
    while let node = open.popLast() {
      for edge in edges where edge.source == node && edge.target != removed {
        if found.insert(edge.target).inserted { open.append(edge.target) }
      }
    }
    return found
  }
}

/// Random numbers that are the same in every run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
