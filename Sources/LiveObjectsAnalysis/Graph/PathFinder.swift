/// Finds shortest paths through the heap, one after the other, in the same memory.
struct PathFinder {
  /// The limit of objects from which a search for a cycle starts.
  static let startLimit = 33
  /// The limit of followed references where a search is made for each of many objects.
  static let referenceLimit = 1 << 14

  private let graph: ReferenceGraph
  /// The reference by which each object was first reached in this search; -1 for none.
  private var arrivals: [Int32]
  private var queue: [UInt32] = []

  init(in graph: ReferenceGraph) {
    self.graph = graph
    arrivals = [Int32](repeating: -1, count: graph.count)
  }

  /// The shortest path from one object to another one, or back to itself.
  ///
  /// - Parameters:
  ///   - limit: references to follow before the search is given up.
  ///   - follows: the references that may be used.
  mutating func path(
    from start: Int, to end: Int, following limit: Int = .max, follows: (Int) -> Bool
  ) -> ObjectPath? {
    queue.append(UInt32(start))
    defer { forget() }
    var (next, followed) = (0, 0)
    while next < queue.count, followed < limit {
      let references = graph.references(from: Int(queue[next])).prefix(limit - followed)
      followed += references.count
      for reference in references where follows(reference) {
        let target = graph.target(reference)
        if target == end { return path(to: reference, from: start) }
        guard target != start, arrivals[target] < 0 else { continue }
        arrivals[target] = Int32(reference)
        queue.append(UInt32(target))
      }
      next += 1
    }
    return nil
  }

  /// The shortest path from one of the objects back to itself, so that their order does not matter.
  ///
  /// Some objects of a strongly connected component of thousands are enough: it consists of small, equal
  /// cycles.
  mutating func cycle(through objects: [Int], follows: (Int) -> Bool) -> ObjectPath? {
    var shortest = objects.first.flatMap { path(from: $0, to: $0, follows: follows) }
    for object in objects.prefix(Self.startLimit).dropFirst() where shortest?.references.count != 1 {
      let path = path(from: object, to: object, following: Self.referenceLimit, follows: follows)
      if let path, shortest.map({ isBetter(path, than: $0) }) ?? true { shortest = path }
    }
    return shortest
  }

  /// Shorter, or as long and by earlier elements of collections: `children[0]` in every run.
  private func isBetter(_ path: ObjectPath, than other: ObjectPath) -> Bool {
    guard path.references.count == other.references.count else {
      return path.references.count < other.references.count
    }
    let (elements, others) = (elements(on: path), elements(on: other))
    return elements.lexicographicallyPrecedes(others)
  }

  private func elements(on path: ObjectPath) -> [UInt32] {
    path.references.map { graph.heap.references[$0].element ?? 0 }
  }

  private func path(to last: Int, from start: Int) -> ObjectPath {
    func before(_ reference: Int) -> Int? {
      let source = graph.source(reference)
      return source == start ? nil : Int(arrivals[source])
    }
    // Counted first: it may be as long as the heap is large.
    let count = sequence(first: last, next: before).reduce(0) { count, _ in count + 1 }
    var references = [Int](repeating: last, count: count)
    for (index, reference) in zip((0..<count).reversed(), sequence(first: last, next: before)) {
      references[index] = reference
    }
    return ObjectPath(start: start, references: references)
  }

  private mutating func forget() {
    for object in queue { arrivals[Int(object)] = -1 }
    queue.removeAll(keepingCapacity: true)
  }
}
