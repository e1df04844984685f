import LiveObjectsSystem

/// The words and marks of a Swift source file, without comments and texts. What is interpolated is in parentheses.
///
/// Bytes are read once, in order, and any will do: what does not follow the grammar hides declarations, and invents none.
struct SourceText {
  /// Above any file that a person has written.
  private static let mostBytes = 1 << 20
  /// Above any name that a person has written. A type's name is copied for each of its properties.
  private static let longestWord = 256

  struct Token {
    enum Content: Equatable {
      case word(String)
      /// A byte of punctuation.
      case mark(UInt8)
    }
    var content: Content
    /// Counted from 1.
    var line: Int

    func isMark(_ mark: Unicode.Scalar) -> Bool { content == .mark(UInt8(ascii: mark)) }
  }

  private(set) var tokens: [Token] = []

  /// A text that is open: the number of `#` before its quotation mark, and the parentheses of an interpolation.
  private struct Quote {
    var hashes: Int
    var isMultiline: Bool
    var parentheses = 0
  }
  private var quotes: [Quote] = []
  private var rest: ArraySlice<UInt8>
  private var line = 1

  /// - Returns: `nil` if it is no regular file, or too large.
  init?(ofFileAt path: String) {
    guard let bytes = contents(ofRegularFile: path, atMost: Self.mostBytes) else { return nil }
    self.init(bytes)
  }

  /// Whether a file that can be read has a text. What is behind a NUL is not searched.
  static func file(at path: String, has text: String) -> Bool {
    guard let bytes = contents(ofRegularFile: path, atMost: mostBytes) else { return false }
    return (bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { strstr($0.baseAddress!, text) != nil }
    }
  }

  init(_ text: String) { self.init(Array(text.utf8)) }

  private init(_ bytes: [UInt8]) {
    rest = bytes[...]
    while !rest.isEmpty {
      if quotes.last?.parentheses == 0 { readText() } else { readCode() }
    }
  }

  private mutating func skip(_ count: Int) {
    for byte in rest.prefix(count) where byte == UInt8(ascii: "\n") { line += 1 }
    rest = rest.dropFirst(count)
  }
}

// MARK: - Code

extension SourceText {
  private mutating func readCode() {
    if starts("//") {
      rest = rest.drop { $0 != UInt8(ascii: "\n") }
    } else if starts("/*") {
      skipComment()
    } else if !beginText() {
      readToken()
    }
  }

  private func starts(_ text: StaticString) -> Bool {
    rest.starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Comments nest.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      let isOpening = starts("/*")
      let isClosing = starts("*/")
      depth += isOpening ? 1 : isClosing ? -1 : 0
      skip(isOpening || isClosing ? 2 : 1)
    } while depth > 0 && !rest.isEmpty
  }

  private mutating func readToken() {
    let word = rest.prefix(while: Self.isPartOfWord)
    if !word.isEmpty {
      emit(.word(String(decoding: word.prefix(Self.longestWord), as: UTF8.self)))
      rest = rest.dropFirst(word.count)
    } else {
      let byte = rest[rest.startIndex]
      // The backticks around a name are no part of it.
      if !" \t\r\n`".utf8.contains(byte) { emit(.mark(byte)) }
      countParentheses(byte)
      skip(1)
    }
  }

  private mutating func emit(_ content: Token.Content) {
    tokens.append(Token(content: content, line: line))
  }

  /// The closing parenthesis of an interpolation continues its text.
  private mutating func countParentheses(_ byte: UInt8) {
    guard !quotes.isEmpty else { return }
    if byte == UInt8(ascii: "(") { quotes[quotes.count - 1].parentheses += 1 }
    if byte == UInt8(ascii: ")") { quotes[quotes.count - 1].parentheses -= 1 }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xff:
      true
    default: false
    }
  }
}

// MARK: - Text

extension SourceText {
  private static let mostHashes = 8
  private static let quotationMark = UInt8(ascii: "\"")
  private static let multilineMark = [quotationMark, quotationMark, quotationMark]

  /// - Returns: whether a text begins here.
  private mutating func beginText() -> Bool {
    let hashes = rest.prefix(Self.mostHashes).prefix { $0 == UInt8(ascii: "#") }.count
    let marks = rest.dropFirst(hashes)
    guard marks.first == Self.quotationMark else { return false }
    let isMultiline = marks.starts(with: Self.multilineMark)
    quotes.append(Quote(hashes: hashes, isMultiline: isMultiline))
    skip(hashes + (isMultiline ? 3 : 1))
    return true
  }

  private mutating func readText() {
    let quote = quotes[quotes.count - 1]
    let marks = quote.isMultiline ? 3 : 1
    let isEnd = rest.starts(with: Self.multilineMark.prefix(marks)) && hasHashes(quote.hashes, behind: marks)
    if isEnd || (!quote.isMultiline && rest.first == UInt8(ascii: "\n")) {
      // A text in one line ends there, also without its mark.
      quotes.removeLast()
      skip(isEnd ? marks + quote.hashes : 0)
    } else if rest.first == UInt8(ascii: "\\"), hasHashes(quote.hashes, behind: 1) {
      skip(1 + quote.hashes)
      // Read as code, an interpolation counts its parentheses.
      if rest.first == UInt8(ascii: "(") { readToken() } else { skip(1) }
    } else {
      skip(1)
    }
  }

  private func hasHashes(_ count: Int, behind start: Int) -> Bool {
    let hashes = rest.dropFirst(start).prefix(count)
    return hashes.count == count && hashes.allSatisfy { $0 == UInt8(ascii: "#") }
  }
}
