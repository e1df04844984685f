import LiveObjectsSystem

/// The lines of a Swift source file.
///
/// No parser: a declaration is found by its words and its indentation, and only where one line fits.
struct SourceText {
  /// Above any file that a person has written.
  private static let mostBytes = 1 << 22
  /// The lines of attributes between a class and the line that debug information has for it.
  private static let mostAttributes = 8

  private let lines: [Substring]

  /// - Returns: `nil` if it is no regular file, or too large.
  init?(ofFileAt path: String) {
    guard let bytes = contents(ofRegularFile: path, atMost: Self.mostBytes) else { return nil }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  init(_ text: String) {
    lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
  }

  /// The line that declares a stored property, counted from 1.
  ///
  /// - Parameters:
  ///   - type: the class, whose last component counts.
  ///   - line: a line of the class's own: its first, or that of its deinitialiser.
  /// - Returns: `nil` unless exactly one line of the class fits.
  func line(ofProperty name: String, ofClass type: String, declaredNear line: Int) -> Int? {
    let type = type.split(separator: ".").last.map(String.init) ?? type
    guard let start = declaration(ofClass: type, near: line - 1) else { return nil }
    if Self.declares(name, Self.body(of: lines[start])) { return start + 1 }
    let indentation = Self.indentation(of: lines[start])
    let body = lines[(start + 1)...].prefix { !Self.closes($0, indentation) }
    let found = body.indices.filter { Self.declares(name, body[$0]) }
    let least = found.map { Self.indentation(of: lines[$0]) }.min()
    let outermost = found.filter { Self.indentation(of: lines[$0]) == least }
    guard outermost.count == 1, let least, least > indentation else { return nil }
    return outermost[0] + 1
  }

  /// The index of the line that declares the class: the given line, or one below it, after attributes, or the
  /// nearest one above.
  private func declaration(ofClass name: String, near index: Int) -> Int? {
    guard lines.indices.contains(index) else { return nil }
    let below = index..<min(index + Self.mostAttributes, lines.count)
    return below.first { index in
      declares(class: name, at: index) && lines[below.lowerBound..<index].allSatisfy(Self.isAttribute)
    }
      ?? lines[..<index].indices.reversed().first { declares(class: name, at: $0) }
  }

  private func declares(class name: String, at index: Int) -> Bool {
    let words = Self.words(of: lines[index])
    guard let keyword = words.firstIndex(where: { $0 == "class" || $0 == "actor" }) else { return false }
    return words.dropFirst(keyword + 1).first.map { $0 == name } ?? false
  }
}

// MARK: - One line

extension SourceText {
  private static func indentation(of line: Substring) -> Int { line.prefix { $0 == " " || $0 == "\t" }.count }

  private static func isAttribute(_ line: Substring) -> Bool {
    line.drop(while: \.isWhitespace).hasPrefix("@")
  }

  /// Whether the line ends a declaration of this indentation.
  private static func closes(_ line: Substring, _ indentation: Int) -> Bool {
    self.indentation(of: line) <= indentation && line.drop(while: \.isWhitespace).hasPrefix("}")
  }

  /// The identifiers of a line; none of a comment.
  private static func words(of line: Substring) -> [Substring] {
    let text = line.drop(while: \.isWhitespace)
    guard !text.hasPrefix("//"), !text.hasPrefix("*"), !text.hasPrefix("/*") else { return [] }
    return text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// What follows the first opening brace.
  private static func body(of line: Substring) -> Substring {
    line.firstIndex(of: "{").map { line[line.index(after: $0)...] } ?? ""
  }

  /// Whether the line begins with the declaration of the variable, behind attributes and modifiers.
  private static func declares(_ name: String, _ line: Substring) -> Bool {
    let words = words(of: line)
    guard let keyword = words.firstIndex(where: { $0 == "var" || $0 == "let" }) else { return false }
    let isStatement = words[..<keyword].contains {
      ["if", "guard", "while", "for", "case", "static"].contains($0)
    }
    let isBehindCode = line[..<words[keyword].startIndex].contains { "{=;".contains($0) }
    // A property wrapper or a macro stores its value under another name.
    let names = [name, name.hasPrefix("_") ? String(name.dropFirst()) : name]
    return !isStatement && !isBehindCode
      && words.dropFirst(keyword + 1).first.map { names.contains(String($0)) } ?? false
  }
}
