/// Markdown whose literals are markup and whose interpolated values are escaped.
///
/// A plain interpolation is text; `code:` makes a code span, `html:` is text between HTML tags, and
/// `markup:` is escaped already.
struct MarkdownText: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ value: String) { text += value.shownInMarkdown.escapedForMarkdown }
    mutating func appendInterpolation(_ number: Int) { text += String(number) }
    mutating func appendInterpolation(code value: String) { text += value.shownInMarkdown.asCodeSpan }
    mutating func appendInterpolation(html value: String) { text += value.shownInMarkdown.escapedForHTML }
    mutating func appendInterpolation(markup: String) { text += markup }
  }

  static func += (text: inout MarkdownText, more: MarkdownText) { text.text += more.text }
}

extension String {
  private static let longestName = 300

  /// The name on one line, without control characters, and not longer than a reader needs.
  fileprivate var shownInMarkdown: String { printable.abridged(to: Self.longestName) }

  /// Each character that Markdown, HTML or GitHub could act on has a backslash. A dot and a colon make addresses
  /// of web pages.
  fileprivate var escapedForMarkdown: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isActiveInMarkdown { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }

  /// The fence of a code span has to be longer than each row of backticks in it.
  fileprivate var asCodeSpan: String {
    let rows = unicodeScalars.split(whereSeparator: { $0 != "`" })
    let fence = String(repeating: "`", count: (rows.map(\.count).max() ?? 0) + 1)
    let space = unicodeScalars.first == "`" || unicodeScalars.last == "`" ? " " : ""
    return isEmpty ? "" : fence + space + self + space + fence
  }
}

extension Unicode.Scalar {
  fileprivate var isActiveInMarkdown: Bool {
    let isMark = ("!"..."~").contains(self) && !properties.isAlphabetic && !("0"..."9").contains(self)
    return isMark && !",;'()/".unicodeScalars.contains(self)
  }
}
