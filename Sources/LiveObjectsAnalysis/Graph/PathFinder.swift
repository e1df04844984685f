import LiveObjectsCapture

/// A path through the heap: its start, and the references it follows.
struct ObjectPath {
  var start: Int
  /// Indices into the graph's references, each starting where the one before ends, unless the path is too
  /// long to be kept: its middle is missing then.
  var references: [Int]
}

/// Finds shortest paths through the heap, one after the other, in the same memory.
struct PathFinder {
  /// The limit of objects from which a search for a cycle starts.
  static let startLimit = 33
  /// The limit of followed references where a search is made for each of many objects.
  static let referenceLimit = 1 << 14

  private let graph: ReferenceGraph
  /// The reference by which each object was first reached in this search; -1 for none. Empty before the first
  /// search: many reports need none.
  private var arrivals: [Int32] = []
  private var queue: [UInt32] = []

  init(in graph: ReferenceGraph) {
    self.graph = graph
  }

  /// The shortest path from one object to another one, or back to itself.
  ///
  /// - Parameters:
  ///   - limit: references to follow before the search is given up.
  ///   - follows: the references that may be used.
  mutating func path(
    from start: Int, to end: Int, following limit: Int = .max, follows: (Int) -> Bool
  ) -> ObjectPath? {
    if arrivals.isEmpty { arrivals = [Int32](repeating: -1, count: graph.count) }
    queue.append(UInt32(start))
    defer { forget() }
    var (next, followed) = (0, 0)
    let all = graph.heap.references  // else it is retained for each reference
    while next < queue.count, followed < limit {
      let references = graph.references(from: Int(queue[next])).prefix(limit - followed)
      followed += references.count
      for reference in references where follows(reference) {
        let target = Int(all[reference].target)
        if target == end { return least(path(to: reference, from: start), to: end, follows) }
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
    guard let first = objects.first else { return nil }
    var shortest = path(from: first, to: first, follows: follows)
    for object in objects.prefix(Self.startLimit).dropFirst() where shortest?.references.count != 1 {
      let path = path(from: object, to: object, following: Self.referenceLimit, follows: follows)
      if let path, shortest.map({ isBetter(path, than: $0) }) ?? true { shortest = path }
    }
    return shortest
  }

  /// The shortest path from an object to a task that nothing can resume, and from there back to the object.
  mutating func cycle(through start: Int, of leak: LeakGroup, isCore: (Int) -> Bool) -> ObjectPath? {
    guard let task = leak.firstTask(in: graph) else { return nil }
    let follows = { [graph] (reference: Int) in
      isCore(graph.target(reference)) && graph.target(reference) != graph.source(reference)
        && (graph.mayHold(reference) || graph.mayResume(reference))
    }
    guard let back = path(from: task, to: start, follows: follows) else { return nil }
    guard start != task else { return back }
    return path(from: start, to: task, follows: follows)
      .map { ObjectPath(start: start, references: $0.references + back.references) }
  }

  /// Shorter, or as long and by earlier properties and elements: `children[0]` in every run.
  private func isBetter(_ path: ObjectPath, than other: ObjectPath) -> Bool {
    guard path.references.count == other.references.count else {
      return path.references.count < other.references.count
    }
    return keys(of: path).lexicographicallyPrecedes(keys(of: other))
  }

  private func keys(of path: ObjectPath) -> some Sequence<ReferenceKey> {
    path.references.lazy.map { [graph] in ReferenceKey($0, in: graph) }
  }

  /// The one of all paths of this length that is the same in every run.
  private func least(_ path: ObjectPath, to end: Int, _ follows: (Int) -> Bool) -> ObjectPath {
    // Where the search met no object beside the path, there is no other path.
    guard queue.count > path.references.count, queue.count <= ShortestPaths.mostObjects else { return path }
    let paths = ShortestPaths(
      path, to: end, reached: queue, by: { Int(arrivals[$0]) }, in: graph, follows: follows)
    return paths?.least ?? path
  }

  private func path(to last: Int, from start: Int) -> ObjectPath {
    let all = graph.heap.references
    // Counted first: it may be as long as the heap is large. Nothing arrives at the start.
    var (reference, count) = (last, 0)
    while reference >= 0 { (reference, count) = (Int(arrivals[Int(all[reference].source)]), count + 1) }
    var references = [Int](repeating: last, count: count)
    for index in (1..<count).reversed() {
      references[index - 1] = Int(arrivals[Int(all[references[index]].source)])
    }
    return ObjectPath(start: start, references: references)
  }

  private mutating func forget() {
    for object in queue { arrivals[Int(object)] = -1 }
    queue.removeAll(keepingCapacity: true)
  }
}

/// A cycle of a task and an object that holds the task, which the user has to break.
struct TaskCycle {
  /// Objects on it that are searched for another finding.
  private static let mostObjects = 64

  private let task: Int
  /// Once round the cycle, from the object through the task.
  let path: ObjectPath

  /// - Returns: `nil` where no task holds the object, or the object does not hold that task, as far as is
  ///   visible.
  init?(
    of object: Int, heldBy holder: (origin: HolderSearch.Origin, path: ObjectPath), in graph: ReferenceGraph,
    _ finder: inout PathFinder
  ) {
    guard case .task(let task) = holder.origin, object != holder.path.start else { return nil }
    let back = finder.path(
      from: object, to: holder.path.start, following: PathFinder.referenceLimit, follows: graph.isStrong)
    guard let back else { return nil }
    self.task = task
    path = ObjectPath(start: object, references: back.references + holder.path.references)
  }

  /// Whether another object on it is reported as such a cycle itself, with the same owner.
  ///
  /// - Parameter hasFinding: the objects that have findings.
  func isReported(
    with owner: ObjectOwner, in reachability: ReachabilityAnalysis, hasFinding: (Int) -> Bool
  ) -> Bool {
    path.references.prefix(Self.mostObjects).lazy.map(reachability.graph.target).contains { object in
      object != path.start && hasFinding(object) && reachability.signature(of: object) != nil
        && reachability.scope.reportedOwner(of: object) == owner
        && reachability.holders.path(to: object)?.origin == .task(task)
    }
  }
}
