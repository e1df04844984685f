/// Directed edges between numbered nodes, in two plain arrays: a heap has tens of millions.
struct Adjacency {
  /// The edges of node `i` lead to `targets[starts[i]..<starts[i + 1]]`.
  private var starts: [UInt32]
  private var targets: [UInt32]

  /// - Parameter edges: calls its argument for each edge; it is called twice, and has to visit the same edges.
  init(count: Int, edges: ((_ source: Int, _ target: Int) -> Void) -> Void) {
    var starts = [UInt32](repeating: 0, count: count + 1)
    edges { source, _ in starts[source + 1] += 1 }
    for node in 0..<count { starts[node + 1] += starts[node] }
    var targets = [UInt32](repeating: 0, count: Int(starts[count]))
    var next = starts
    edges { source, target in
      targets[Int(next[source])] = UInt32(target)
      next[source] += 1
    }
    (self.starts, self.targets) = (starts, targets)
  }

  var count: Int { starts.count - 1 }

  /// The indices of a node's edges. A slice of targets would be retained for each node.
  func edges(from node: Int) -> Range<Int> { Int(starts[node])..<Int(starts[node + 1]) }

  func target(_ edge: Int) -> Int { Int(targets[edge]) }

  var reversed: Adjacency {
    Adjacency(count: count) { edge in visitEdges { edge($1, $0) } }
  }

  func visitEdges(_ edge: (_ source: Int, _ target: Int) -> Void) {
    for source in 0..<count {
      for index in edges(from: source) { edge(source, target(index)) }
    }
  }
}
