/// A line of a baseline or of a suppressions file that cannot be read.
package struct LineError: Error, Equatable {
  /// From 1 on.
  package var line: Int
  /// What was expected, one clause.
  package var expectation: String
}

/// The lines of a file that people write: without comments, empty lines and spaces at their ends.
struct NumberedLines {
  /// From 1 on.
  let lines: [(number: Int, text: Substring)]

  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { (number: $0 + 1, text: $1.trimmingSpaces) }
      .filter { !$0.text.isEmpty && !$0.text.hasPrefix("#") }
  }
}

extension Substring {
  /// Without spaces and tabs at its ends.
  fileprivate var trimmingSpaces: Substring {
    var rest = drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
