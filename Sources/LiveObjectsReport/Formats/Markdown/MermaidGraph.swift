extension PathGraph {
  /// The graph in Mermaid's language, for a fenced block of Markdown.
  var mermaid: String {
    let nodes = nodes.enumerated().map { "  n\($0)[\"\(Self.label($1))\"]\n" }
    let edges = edges.map { edge in
      let label = edge.label.isEmpty ? "" : "|\"\(Self.label(edge.label))\"|"
      return "  n\(edge.source) -->\(label) n\(edge.target)\n"
    }
    let cuts = self.edges.indices.filter { self.edges[$0].isCut }.map(String.init)
    let style = "  linkStyle \(cuts.joined(separator: ",")) stroke:#d1242f,stroke-width:3px\n"
    return "graph LR\n" + nodes.joined() + edges.joined() + (cuts.isEmpty ? "" : style)
  }

  /// Letters, digits and the few other characters that mean nothing in a quoted label; all others as
  /// entities, in Mermaid's form.
  private static func label(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { text, scalar in
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType != nil || " ._:()…".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        text += "#\(scalar.value);"
      }
    }
  }
}
