/// Finds shortest ways through the heap, one after the other, in the same memory.
struct PathFinder {
  private let graph: ReferenceGraph
  /// The reference by which each object was first reached in this search; -1 for none.
  private var arrivals: [Int]
  private var queue: [Int] = []

  init(in graph: ReferenceGraph) {
    self.graph = graph
    arrivals = [Int](repeating: -1, count: graph.count)
  }

  /// The shortest way from one object to another one, or back to itself.
  ///
  /// - Parameter follows: the references that may be used.
  mutating func path(from start: Int, to end: Int, follows: (Int) -> Bool) -> ObjectPath? {
    queue.append(start)
    defer { forget() }
    var next = 0
    while next < queue.count {
      for reference in graph.references(from: queue[next]) where follows(reference) {
        let target = graph.target(reference)
        if target == end { return path(to: reference, from: start) }
        guard target != start, arrivals[target] < 0 else { continue }
        arrivals[target] = reference
        queue.append(target)
      }
      next += 1
    }
    return nil
  }

  private func path(to last: Int, from start: Int) -> ObjectPath {
    var references = [last]
    while graph.source(references[references.count - 1]) != start {
      references.append(arrivals[graph.source(references[references.count - 1])])
    }
    return ObjectPath(start: start, references: references.reversed())
  }

  private mutating func forget() {
    for object in queue { arrivals[object] = -1 }
    queue.removeAll(keepingCapacity: true)
  }
}
