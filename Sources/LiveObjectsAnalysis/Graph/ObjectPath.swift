/// A way through the heap: where it starts, and the references it follows.
struct ObjectPath {
  var start: Int
  /// Indices into the graph's references, each starting where the one before ends.
  var references: [Int]

  /// The shortest way from one object back to it, or to another one.
  ///
  /// - Parameter follows: the references that may be used.
  /// - Returns: `nil` if there is none.
  init?(from start: Int, to end: Int, in graph: ReferenceGraph, follows: (Int) -> Bool) {
    var arrivals: [Int: Int] = [:]  // object -> the reference it was first reached by
    var queue = [start]
    var next = 0
    while next < queue.count {
      for reference in graph.references(from: queue[next]) where follows(reference) {
        let target = graph.target(reference)
        if target == end {
          self.init(to: reference, from: start, arrivals, in: graph)
          return
        }
        guard target != start, arrivals[target] == nil else { continue }
        arrivals[target] = reference
        queue.append(target)
      }
      next += 1
    }
    return nil
  }

  private init(to last: Int, from start: Int, _ arrivals: [Int: Int], in graph: ReferenceGraph) {
    var references = [last]
    var object = graph.source(last)
    while object != start, let reference = arrivals[object] {
      references.append(reference)
      object = graph.source(reference)
    }
    self.init(start: start, references: references.reversed())
  }

  init(start: Int, references: [Int]) {
    self.start = start
    self.references = references
  }
}
