/// Lines of text on their way to a terminal. Everything passes through `add`, which makes control
/// characters visible, so that no name can act on the terminal.
struct TextPage {
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
  }

  private(set) var text = ""
  let color: Bool

  init(color: Bool) {
    self.color = color
  }

  mutating func add(_ line: String = "", style: Style = .plain) {
    let line = line.printable
    text += color && style != .plain ? "\u{1b}[\(style.rawValue)m\(line)\u{1b}[0m\n" : line + "\n"
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
