/// A path as an SVG image: nodes from top to bottom, and the reference that closes a cycle at their right.
struct HTMLPathGraph {
  /// Of the monospaced font, in pixels.
  private static let characterWidth = 7.9
  private static let nodeHeight = 32
  private static let rowHeight = 76
  private static let margin = 12
  private static let returnWidth = 40

  private let graph: PathGraph
  private let widths: [Int]
  private var center: Int { margin + (widths.max() ?? 0) / 2 }
  private var margin: Int { Self.margin }

  init(_ graph: PathGraph) {
    self.graph = graph
    widths = graph.nodes.map { Self.width(of: $0) + 28 }
  }

  var figure: HTML {
    """
    <figure class="path"><svg role="img" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
    <title>\(description)</title>
    \(graph.edges.map(edge).joined())\(graph.nodes.indices.map(node).joined())</svg></figure>

    """
  }

  /// The path as a sentence, for readers who do not see the image.
  private var description: String {
    graph.edges.map { edge in
      "\(graph.nodes[edge.source]) holds \(graph.nodes[edge.target])"
        + (edge.label.isEmpty ? "" : " through \(edge.label)") + (edge.isCut ? ", the reference to cut" : "")
    }.joined(separator: "; ")
  }
}

// MARK: - Layout

extension HTMLPathGraph {
  /// Wide characters need two columns.
  private static func width(of text: String) -> Int {
    let columns = text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
    return Int((Double(columns) * characterWidth).rounded(.up))
  }

  private func top(_ node: Int) -> Int { margin + node * Self.rowHeight }

  private func right(_ node: Int) -> Int { center + widths[node] / 2 }

  /// Where the reference back to the first node runs: at the right of all nodes and names.
  private var returnX: Int {
    let names = graph.edges.filter { !isReturn($0) }.map { center + 12 + Self.width(of: label(of: $0)) + 16 }
    return max(names.max() ?? 0, (graph.nodes.indices.map(right).max() ?? 0) + Self.returnWidth)
  }

  private func label(of edge: PathGraph.Edge) -> String { edge.isCut ? "\(edge.label)  ← cut" : edge.label }

  private var width: Int {
    let labels = graph.edges.map { edge in
      (isReturn(edge) ? returnX : center) + 12 + Self.width(of: label(of: edge))
    }
    return max(labels.max() ?? 0, graph.nodes.indices.map(right).max() ?? 0) + margin
  }

  private var height: Int { top(graph.nodes.count - 1) + Self.nodeHeight + margin }

  private func isReturn(_ edge: PathGraph.Edge) -> Bool { edge.target <= edge.source }
}

// MARK: - Drawing

extension HTMLPathGraph {
  private func node(_ index: Int) -> HTML {
    let (width, y) = (widths[index], top(index))
    return """
      <g class="node\(index == 0 ? " first" : "")"><rect x="\(center - width / 2)" y="\(y)" width="\(width)" height="\(Self.nodeHeight)" rx="7"/>\
      <text x="\(center)" y="\(y + 21)" text-anchor="middle">\(graph.nodes[index])</text></g>

      """
  }

  private func edge(_ edge: PathGraph.Edge) -> HTML {
    let isReturn = isReturn(edge)
    let (line, head) = isReturn ? returnLine(edge) : straightLine(edge)
    let x = isReturn ? returnX + 10 : center + 12
    let y = isReturn ? (middle(edge.source) + middle(edge.target)) / 2 + 5 : top(edge.target) - 18
    return """
      <g class="edge\(edge.isCut ? " cut" : "")"><path class="line" d="\(line)"/><path class="head" d="\(head)"/>\
      <text x="\(x)" y="\(y)">\(label(of: edge))</text></g>

      """
  }

  private func middle(_ node: Int) -> Int { top(node) + Self.nodeHeight / 2 }

  private func straightLine(_ edge: PathGraph.Edge) -> (String, String) {
    let (start, end) = (top(edge.source) + Self.nodeHeight, top(edge.target))
    return ("M\(center) \(start)V\(end - 8)", "M\(center - 5) \(end - 9)h10l-5 9z")
  }

  /// From the right of the source, up, and to the right of the target. A node that holds itself gets a loop.
  private func returnLine(_ edge: PathGraph.Edge) -> (String, String) {
    let isLoop = edge.source == edge.target
    let (start, end) = (middle(edge.source) + (isLoop ? 9 : 0), middle(edge.target) - (isLoop ? 9 : 0))
    let (radius, x) = (isLoop ? 9 : 14, returnX)
    let line =
      "M\(right(edge.source)) \(start)H\(x - radius)Q\(x) \(start) \(x) \(start - radius)"
      + "V\(end + radius)Q\(x) \(end) \(x - radius) \(end)H\(right(edge.target) + 8)"
    return (line, "M\(right(edge.target) + 9) \(end - 5)v10l-9 -5z")
  }
}
