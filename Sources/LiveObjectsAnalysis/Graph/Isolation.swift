import LiveObjectsCapture

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
    /// Unreachable if conservative references are references.
    case probably
    case definitely
  }
  private(set) var states: [State]

  init(of graph: ReferenceGraph) {
    let isRooted = Self.rooted(in: graph)
    let definitely = Self.marked(in: graph) { object in
      graph.isTestCase(object) || graph.unexplained(object).map { $0 > 0 } ?? true
    }
    let probably = Self.marked(in: graph) { object in
      guard !graph.isTestCase(object), let unexplained = graph.unexplained(object) else { return true }
      let isExplicable = graph.kind(of: object) != .task && !isRooted[object]
      return unexplained - (isExplicable ? Int(graph.conservative[object]) : 0) > 0
    }
    states = (0..<graph.count).map { object in
      if graph.capture.objects[object].isPinned { return .held }
      return definitely[object] ? (probably[object] ? .held : .probably) : .definitely
    }
  }

  subscript(object: Int) -> State { states[object] }

  /// Objects with a conservative reference from outside of the heap, which may account for an unbalanced
  /// retain.
  ///
  /// A block that an object of the heap keeps is left out: that is the same word, found twice.
  private static func rooted(in graph: ReferenceGraph) -> [Bool] {
    var isRooted = [Bool](repeating: false, count: graph.count)
    let blocks = graph.keptBlocks
    for root in graph.heap.roots {
      if case .dispatchBlock(let code) = root.place,
        blocks.contains(ReferenceGraph.KeptBlock(target: root.target, code: code))
      {
        continue
      }
      isRooted[Int(root.target)] = true
    }
    return isRooted
  }

  /// Marks all objects reachable from objects that are held from outside.
  ///
  /// Raw buffers have no count and are no start: an object that one of them holds has an unbalanced retain
  /// itself, and they are full of stale pointers.
  private static func marked(in graph: ReferenceGraph, isHeld: (Int) -> Bool) -> [Bool] {
    var marked = [Bool](repeating: false, count: graph.count)
    var open: [UInt32] = []
    for object in 0..<graph.count where isHeld(object) {
      marked[object] = true
      if graph.kind(of: object) != .rawBuffer { open.append(UInt32(object)) }
    }
    while let object = open.popLast() {
      for reference in graph.references(from: Int(object)) where graph.mayHold(reference) {
        let target = graph.target(reference)
        guard !marked[target] else { continue }
        marked[target] = true
        open.append(UInt32(target))
      }
    }
    return marked
  }
}
