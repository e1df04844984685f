import LiveObjectsCapture

/// Which objects are held by nothing but each other: trial deletion over the whole heap.
///
/// An object with a retain that no reference explains is held from outside, and so is all that can be reached
/// from it. A reference that was missed only makes an object look held.
///
/// Test cases count as held too: XCTest drops them all when its last test is over, and what a test keeps in
/// a property is no leak.
struct Isolation {
  enum State: UInt8 {
    case held
    /// Unreachable if words that look like references are references.
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

  /// Objects to which a word outside of the heap seems to refer: a retain that is not explained may be that one's.
  ///
  /// Not a block's that an object of the heap keeps: that is the same word, found in two ways.
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

  /// Everything that can be reached from objects that are held from outside.
  ///
  /// Raw buffers have no count. What one of them holds has a retain of its own to show, so nothing is
  /// lost by not starting there; and they are full of words that mean nothing any more.
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
