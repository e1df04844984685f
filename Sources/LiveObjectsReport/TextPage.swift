/// Lines of text for a terminal. Everything passes through `add`, which makes control
/// characters visible, so that no name can act on the terminal.
struct TextPage {
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
  }

  /// Characters of a line; where it would be longer it is broken or cut.
  static let width = 110

  private(set) var text = ""
  let color: Bool

  init(color: Bool) {
    self.color = color
  }

  mutating func add(_ line: String = "", style: Style = .plain) {
    let line = line.printable
    text += color && style != .plain ? "\u{1b}[\(style.rawValue)m\(line)\u{1b}[0m\n" : line + "\n"
  }

  /// Adds parts with separators between them, on as many lines as they need; a line that goes on begins
  /// with the separator.
  mutating func add(parts: [String], separator: String, indentation: Int) {
    let spaces = String(repeating: " ", count: indentation)
    var line = spaces + (parts.first ?? "")
    for part in parts.dropFirst() {
      if line.count + separator.count + part.count <= Self.width {
        line += separator + part
      } else {
        add(line)
        line = spaces + " " + separator + part
      }
    }
    add(line)
  }

  /// Adds a sentence, on as many lines as it needs.
  mutating func add(words sentence: String, indentation: Int) {
    let words = sentence.split(separator: " ").map(String.init)
    add(parts: words, separator: " ", indentation: indentation)
  }

  /// Adds rows with their columns lined up.
  ///
  /// - Parameters:
  ///   - alignments: one for each column.
  ///   - indentation: spaces before each row.
  mutating func add(rows: [[String]], _ alignments: [TextColumn.Alignment], indentation: Int) {
    let columns = alignments.enumerated().map { index, alignment in
      TextColumn(alignment, width: rows.lazy.map { $0[index].count }.max() ?? 0)
    }
    for row in rows {
      let cells = zip(columns, row).map { $0.padded($1) }.joined(separator: "  ")
      let end = cells.lastIndex { $0 != " " }.map(cells.index(after:)) ?? cells.startIndex
      add(String(repeating: " ", count: indentation) + cells[..<end])
    }
  }
}

/// A column of a table.
struct TextColumn {
  enum Alignment { case left, right }

  let alignment: Alignment
  let width: Int

  init(_ alignment: Alignment, width: Int) {
    self.alignment = alignment
    self.width = width
  }

  func padded(_ cell: String) -> String {
    let padding = String(repeating: " ", count: max(0, width - cell.count))
    return alignment == .left ? cell + padding : padding + cell
  }
}

extension String {
  /// The text, cut at its end where it is longer than a column.
  func shortened(to width: Int) -> String {
    count <= width ? self : prefix(width - 1) + "…"
  }
}
