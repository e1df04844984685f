import LiveObjectsAnalysis

/// A finding's path as a graph: types and variables, and the references between them.
struct PathGraph {
  struct Edge: Hashable {
    var source: Int
    var target: Int
    /// The property or captured value; empty where it has no name.
    var label: String
    /// Whether the hint names this reference.
    var isCut = false
  }

  /// The nodes that are shown of longer paths, at their ends.
  private static let leadingNodes = 8
  private static let trailingNodes = 4
  private static let nameWidth = 100

  /// The holder or the object that names the finding comes first.
  private(set) var nodes: [String]
  /// One edge from each node to the next; a cycle has one more, which leads back to the first node.
  private(set) var edges: [Edge]
  let isCycle: Bool

  /// - Returns: `nil` where the finding has no path.
  init?(of finding: Finding) {
    guard let last = finding.path.last else { return nil }
    isCycle = finding.verdict == .retainCycle || finding.verdict == .leakedTask
    nodes = finding.path.map(\.type)
    edges = finding.path.enumerated().map { index, step in
      Edge(source: index, target: index + 1, label: step.reference, isCut: finding.isCut(at: step))
    }
    if isCycle {
      edges[edges.count - 1].target = 0
    } else if !last.reference.isEmpty || last.type != finding.type {
      nodes.append(finding.type)
    } else {
      edges.removeLast()
    }
    abridge()
    nodes = nodes.map(Self.shown)
    for index in edges.indices { edges[index].label = Self.shown(edges[index].label) }
  }

  private static func shown(_ name: String) -> String { name.printable.abridged(to: nameWidth) }

  /// Replaces the middle of a long path by one node.
  private mutating func abridge() {
    let omitted = nodes.count - Self.leadingNodes - Self.trailingNodes
    guard omitted > 1 else { return }
    let kept = edges.suffix(edges.count - Self.leadingNodes - omitted)
    nodes.replaceSubrange(Self.leadingNodes..<Self.leadingNodes + omitted, with: ["… \(omitted) more …"])
    edges.removeSubrange((Self.leadingNodes + 1)...)
    edges[Self.leadingNodes] = Edge(source: Self.leadingNodes, target: Self.leadingNodes + 1, label: "")
    edges += kept.map { edge in
      var edge = edge
      edge.source -= omitted - 1
      edge.target = edge.target == 0 ? 0 : edge.target - (omitted - 1)
      return edge
    }
  }
}

extension Finding {
  /// Whether the hint names the reference of a step: a property, or a closure's captured value.
  fileprivate func isCut(at step: PathStep) -> Bool {
    let cutting: [Hint.Action] = [
      .captureWeakly, .declareWeak, .makeOneWeak, .setToNil, .captureParts, .limitProtocol,
    ]
    guard let hint, cutting.contains(hint.action) else { return false }
    return hint.places.contains { place in
      guard let captured = place.captured else { return place.name == "\(step.type).\(step.reference)" }
      return place.name == step.type && captured == step.reference
    }
  }
}
