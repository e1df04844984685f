/// The immediate dominator of each node: the last one that every path to it from outside leads through.
///
/// By Lengauer and Tarjan ("A fast algorithm for finding dominators in a flowgraph", 1979), with path compression alone:
/// the time grows with the edges, times a logarithm. Without recursion: a list of a million nodes is as deep as it is long.
struct Dominators {
  /// By node; `outside` where no single node dominates it, `unreached` where no path leads to it.
  let immediate: [UInt32]

  static let outside = UInt32.max
  static let unreached = UInt32.max - 1

  /// - Parameters:
  ///   - edges: at least one node, fewer than 2³² − 2.
  ///   - isStart: whether paths begin at a node.
  init(of edges: Adjacency, isStart: (Int) -> Bool) {
    let search = DepthFirstSearch(of: edges, isStart: isStart)
    var forest = LinkedForest(search.nodes.count)
    let dominators = Self.dominators(of: search, edges.reversed, isStart, &forest)
    var immediate = [UInt32](repeating: Self.unreached, count: edges.count)
    for number in dominators.indices.dropFirst() {
      let dominator = Int(dominators[number])
      immediate[Int(search.nodes[number])] = dominator == 0 ? Self.outside : search.nodes[dominator]
    }
    self.immediate = immediate
  }

  /// By number of the search. The numbers of dominators are smaller.
  private static func dominators(
    of search: DepthFirstSearch, _ sources: Adjacency, _ isStart: (Int) -> Bool, _ forest: inout LinkedForest
  ) -> [UInt32] {
    let count = search.nodes.count
    var dominators = [UInt32](repeating: 0, count: count)
    // The nodes with the same semidominator, as lists.
    var (first, next) = ([UInt32](repeating: 0, count: count), [UInt32](repeating: 0, count: count))
    for number in stride(from: count - 1, to: 0, by: -1) {
      let node = Int(search.nodes[number])
      var semi = isStart(node) ? 0 : UInt32(number)
      for edge in sources.edges(from: node) {
        let source = search.numbers[sources.target(edge)]
        if source > 0 { semi = min(semi, forest.least(from: source).semi) }
      }
      forest.semi[number] = semi
      (next[number], first[Int(semi)]) = (first[Int(semi)], UInt32(number))
      let parent = search.parents[number]
      forest.link(number, to: parent)
      var waiting = first[Int(parent)]
      first[Int(parent)] = 0
      while waiting > 0 {
        let least = forest.least(from: waiting)
        dominators[Int(waiting)] = least.semi < forest.semi[Int(waiting)] ? least.number : parent
        waiting = next[Int(waiting)]
      }
    }
    for number in dominators.indices.dropFirst() where dominators[number] != forest.semi[number] {
      dominators[number] = dominators[Int(dominators[number])]
    }
    return dominators
  }
}

/// Numbers the nodes in the order in which they are reached. 0 is outside, where all paths begin.
private struct DepthFirstSearch {
  /// By node; 0 for those that are not reached.
  private(set) var numbers: [UInt32]
  /// By number.
  private(set) var nodes: [UInt32] = [0]
  private(set) var parents: [UInt32] = [0]

  init(of edges: Adjacency, isStart: (Int) -> Bool) {
    numbers = [UInt32](repeating: 0, count: edges.count)
    var next = [UInt32](repeating: 0, count: edges.count)
    for start in 0..<edges.count where numbers[start] == 0 && isStart(start) {
      var current = arrive(at: UInt32(start), from: 0)
      while current > 0 {
        let node = Int(nodes[Int(current)])
        let range = edges.edges(from: node)
        let edge = range.lowerBound + Int(next[node])
        guard edge < range.upperBound else {
          current = parents[Int(current)]
          continue
        }
        next[node] += 1
        let target = edges.target(edge)
        if numbers[target] == 0 { current = arrive(at: UInt32(target), from: current) }
      }
    }
  }

  private mutating func arrive(at node: UInt32, from parent: UInt32) -> UInt32 {
    let number = UInt32(nodes.count)
    numbers[Int(node)] = number
    nodes.append(node)
    parents.append(parent)
    return number
  }
}

/// The part of the search's tree that was evaluated, where every path has been shortened as far as it was followed.
private struct LinkedForest {
  /// By number: the semidominator, once it is known.
  var semi: [UInt32]
  /// By number: the one with the least semidominator on the path that was shortened.
  private var labels: [UInt32]
  private var ancestors: [UInt32]
  private var path: [UInt32] = []

  private static let none = UInt32.max

  init(_ count: Int) {
    semi = Array(0..<UInt32(count))
    labels = semi
    ancestors = [UInt32](repeating: Self.none, count: count)
  }

  mutating func link(_ number: Int, to parent: UInt32) { ancestors[number] = parent }

  /// The one with the least semidominator on the path to a number, without the path's root.
  mutating func least(from number: UInt32) -> (number: UInt32, semi: UInt32) {
    if ancestors[Int(number)] != Self.none { shorten(number) }
    let least = labels[Int(number)]
    return (least, semi[Int(least)])
  }

  private mutating func shorten(_ number: UInt32) {
    var number = number
    while ancestors[Int(ancestors[Int(number)])] != Self.none {
      path.append(number)
      number = ancestors[Int(number)]
    }
    while let number = path.popLast() {
      let ancestor = Int(ancestors[Int(number)])
      if semi[Int(labels[ancestor])] < semi[Int(labels[Int(number)])] {
        labels[Int(number)] = labels[ancestor]
      }
      ancestors[Int(number)] = ancestors[ancestor]
    }
  }
}
