import LiveObjectsAnalysis

/// Renders the leaks of a report as a graph in the DOT language: one cluster for each cause.
struct DotRenderer {
  /// Graphviz needs minutes for more clusters.
  private static let mostCauses = 100

  private var text = "digraph LiveObjects {\n"

  static func render(_ report: Report) -> String {
    let causes = report.causes
    var dot = DotRenderer()
    dot.addHeader(TextHeadline.text(of: report, causes))
    let leaks = causes.filter { $0.section == .leaks }
    for (number, cause) in leaks.prefix(mostCauses).enumerated() { dot.add(cause, number) }
    if let more = Count.more(than: mostCauses, of: leaks.count, "leak", "leaks") {
      dot.text += "  omitted [shape=plaintext, label=\(quoted("… \(more)"))];\n"
    }
    return dot.text + "}\n"
  }

  private mutating func addHeader(_ headline: String) {
    text += """
        label=\(Self.quoted(headline));
        labelloc=t;
        fontname="sans-serif";
        node [shape=box, style=rounded, fontname="monospace"];
        edge [fontname="monospace"];

      """
  }

  private mutating func add(_ cause: Cause, _ number: Int) {
    text += "  subgraph cluster_\(number) {\n"
    text += "    label=\(Self.quoted("\(number + 1). \(cause.name) (\(cause.sum.size))"));\n"
    if let graph = PathGraph(of: cause.sum) {
      add(graph, number)
    } else {
      text += "    n\(number)_0 [label=\(Self.quoted(cause.sum.type))];\n"
    }
    text += "  }\n"
  }

  private mutating func add(_ graph: PathGraph, _ number: Int) {
    for (index, name) in graph.nodes.enumerated() {
      text += "    n\(number)_\(index) [label=\(Self.quoted(name))];\n"
    }
    for edge in graph.edges {
      let color = edge.isCut ? ", color=red, fontcolor=red, penwidth=2" : ""
      text += "    n\(number)_\(edge.source) -> n\(number)_\(edge.target) "
      text += "[label=\(Self.quoted(edge.label))\(color)];\n"
    }
  }

  /// A quoted string. In it, Graphviz expands escapes such as `\N`, and entities of HTML.
  private static func quoted(_ name: String) -> String {
    "\"" + name.printable.abridged(to: 200).escaping(["\"": "\\\"", "\\": "\\\\", "&": "&amp;"]) + "\""
  }
}
