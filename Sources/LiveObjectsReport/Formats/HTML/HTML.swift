import LiveObjectsAnalysis

/// HTML whose literals are markup and whose interpolated strings are escaped, so that no name can become markup.
package struct HTML: ExpressibleByStringInterpolation {
  package private(set) var text: String

  package init(stringLiteral value: String) { text = value }
  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
    package mutating func appendLiteral(_ literal: String) { text += literal }
    package mutating func appendInterpolation(_ value: String) { text += value.printable.escapedForHTML }
    package mutating func appendInterpolation(_ number: Int) { text += String(number) }
    package mutating func appendInterpolation(_ html: HTML) { text += html.text }
    /// Resources of this module, and what is escaped already.
    package mutating func appendInterpolation(markup: String) { text += markup }
    /// JSON in which nothing can end the script element: only its strings have these characters.
    mutating func appendInterpolation(json: JSONValue) {
      let escapes: [Unicode.Scalar: String] = ["&": "\\u0026", "<": "\\u003c", ">": "\\u003e"]
      text += String(decoding: json.compactBytes, as: UTF8.self).escaping(escapes)
    }
  }

  static func + (first: HTML, second: HTML) -> HTML { "\(first)\(second)" }
  static func += (html: inout HTML, more: HTML) { html.text += more.text }
}

extension Sequence<HTML> {
  package func joined() -> HTML { reduce(into: "") { $0 += $1 } }
}

extension String {
  /// The text as content of an element, or of an attribute in quotes.
  var escapedForHTML: String {
    guard utf8.contains(where: { [0x22, 0x26, 0x27, 0x3c, 0x3e].contains($0) }) else { return self }
    return escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"])
  }
}
