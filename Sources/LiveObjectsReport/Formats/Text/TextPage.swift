/// Lines of text for a terminal. Everything passes through `add`, which makes control
/// characters visible, so that no name can act on the terminal.
package struct TextPage {
  package enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case green = "32"
  }

  package private(set) var text = ""
  let color: Bool
  /// Characters of a line; where it would be longer it is broken or cut.
  var width: Int

  package init(color: Bool, width: Int = TextRenderer.standardWidth) {
    (self.color, self.width) = (color, width)
  }

  package mutating func add(_ line: String = "", style: Style = .plain) {
    let line = line.printable
    text += color && style != .plain ? "\u{1b}[\(style.rawValue)m\(line)\u{1b}[0m\n" : line + "\n"
  }

  /// Adds parts with separators between them, on as many lines as they need; a line that goes on begins
  /// with the separator.
  mutating func add(parts: [String], separator: String, indentation: Int, style: Style = .plain) {
    let spaces = String(repeating: " ", count: indentation)
    var line = spaces + (parts.first ?? "")
    for part in parts.dropFirst() {
      if line.count + separator.count + part.count <= width {
        line += separator + part
      } else {
        add(line, style: style)
        line = spaces + " " + separator + part
      }
    }
    add(line, style: style)
  }

  /// Adds a sentence, on as many lines as it needs.
  mutating func add(words sentence: String, indentation: Int, style: Style = .plain) {
    let words = sentence.split(separator: " ").map(String.init)
    add(parts: words, separator: " ", indentation: indentation, style: style)
  }

  /// Adds rows with their columns lined up.
  ///
  /// - Parameter alignments: one for each column.
  package mutating func add(rows: [[String]], _ alignments: [TextAlignment], indentation: Int) {
    for line in Self.lines(of: rows, alignments) { add(String(repeating: " ", count: indentation) + line) }
  }

  /// Rows with their columns lined up.
  static func lines(of rows: [[String]], _ alignments: [TextAlignment]) -> [String] {
    let widths = alignments.indices.map { column in rows.lazy.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { row[$0].padded(to: widths[$0], alignments[$0]) }.joined(separator: "  ")
      let end = cells.lastIndex { $0 != " " }.map(cells.index(after:)) ?? cells.startIndex
      return String(cells[..<end])
    }
  }
}

/// The alignment of a table's column.
package enum TextAlignment { case left, right }

extension String {
  fileprivate func padded(to width: Int, _ alignment: TextAlignment) -> String {
    let padding = String(repeating: " ", count: width - count)
    return alignment == .left ? self + padding : padding + self
  }

  /// The text without its middle where it is longer than a column: names of closures differ at their ends.
  package func abridged(to width: Int) -> String {
    count <= width ? self : prefix(width / 2) + "…" + suffix(width - width / 2 - 1)
  }

  /// The text, cut at its end where it is longer than a column.
  func shortened(to width: Int) -> String {
    count <= width ? self : prefix(width - 1) + "…"
  }
}

extension String {
  /// The text with some scalars replaced. A combining mark after one of them changes nothing, as it would for
  /// characters.
  package func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let escape = escapes[scalar] { text += escape } else { text.unicodeScalars.append(scalar) }
    }
  }
}

/// Human-readable numbers.
package enum Count {
  /// `1 object`, `1,234 objects`.
  package static func of(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(grouped(count)) \(count == 1 ? one : many)"
  }

  /// `and 2 more tests`; `nil` if all are shown.
  static func more(than shown: Int, of all: Int, _ one: String, _ many: String) -> String? {
    all > shown ? "and \(grouped(all - shown)) more \(all - shown == 1 ? one : many)" : nil
  }

  /// `a, b and 2 more tests`
  static func list(_ names: [String], atMost most: Int, _ one: String, _ many: String) -> String {
    let more = more(than: most, of: names.count, one, many).map { " \($0)" } ?? ""
    return names.prefix(most).joined(separator: ", ") + more
  }

  /// `1,234,567`
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number))
    let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
    return groups.reversed().joined(separator: ",")
  }

  /// `640 bytes`, `6.4 KB`; a kilobyte has 1,024 bytes.
  package static func bytes(_ count: UInt64) -> String {
    guard count >= 1024 else { return of(count, "byte", "bytes") }
    var (whole, rest, units) = (count / 1024, count % 1024, ["KB", "MB", "GB", "TB"][...])
    // 1,024 KB is 1 MB after rounding, too.
    while whole * 10 + (rest * 10 + 512) / 1024 >= 10240, units.count > 1 {
      (whole, rest) = (whole / 1024, whole % 1024)
      units.removeFirst()
    }
    let tenths = whole * 10 + (rest * 10 + 512) / 1024
    return "\(grouped(tenths / 10)).\(tenths % 10) \(units[units.startIndex])"
  }
}
