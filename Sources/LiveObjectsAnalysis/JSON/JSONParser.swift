/// A JSON document that was read. Numbers stay text, in full precision.
package enum ParsedJSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([ParsedJSON])
  /// The members in their order.
  case object([Member])

  package struct Member {
    var key: String
    var value: ParsedJSON
  }
}

/// What is wrong with a document, as one clause.
package struct JSONError: Error, Equatable {
  package init(expectation: String, place: String) {
    (self.expectation, self.place) = (expectation, place)
  }

  /// What was expected: `a string`.
  package let expectation: String
  /// The place: `findings[3].type`, `byte 12`.
  package private(set) var place: String

  /// The same in an enclosing value.
  func within(_ outer: String) -> JSONError {
    JSONError(expectation: expectation, place: place.isEmpty ? outer : "\(outer).\(place)")
  }
}

/// Reads JSON (RFC 8259). Documents come from anywhere: their depth is limited, and bad text is replaced.
package struct JSONParser {
  private static let deepest = 32

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var depth = 0

  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> ParsedJSON {
    // `withUnsafeBufferPointer` does not pass the type of an error on before Swift 6.1.
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(JSONError) in try document(in: bytes) }
    }
    return try result.get()
  }

  private static func document(in bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> ParsedJSON {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value()
    parser.skipSpace()
    guard parser.position == bytes.count else { throw parser.error("the end of the document") }
    return value
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ expectation: String) -> JSONError {
    JSONError(expectation: expectation, place: "byte \(position)")
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
  }

  /// Skips white space and, if it follows, a character.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar, _ expectation: String) throws(JSONError) {
    guard take(character) else { throw error(expectation) }
  }

  private mutating func value() throws(JSONError) -> ParsedJSON {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw error("at most \(Self.deepest) nested values") }
    if take("{") { return .object(try members()) }
    if take("[") { return .array(try elements()) }
    if take("\"") { return .string(try string()) }
    return try plainValue()
  }

  private mutating func members() throws(JSONError) -> [ParsedJSON.Member] {
    var members: [ParsedJSON.Member] = []
    if take("}") { return members }
    repeat {
      try expect("\"", "a key")
      let key = try string()
      try expect(":", "a colon")
      members.append(ParsedJSON.Member(key: key, value: try value()))
    } while take(",")
    try expect("}", "a comma or }")
    return members
  }

  private mutating func elements() throws(JSONError) -> [ParsedJSON] {
    var elements: [ParsedJSON] = []
    if take("]") { return elements }
    repeat { elements.append(try value()) } while take(",")
    try expect("]", "a comma or ]")
    return elements
  }

  private mutating func plainValue() throws(JSONError) -> ParsedJSON {
    let start = position
    while let byte = next, byte.isPartOfPlainValue { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "null": return .null
    case "true", "false": return .bool(text == "true")
    case _ where Double(text)?.isFinite == true: return .number(text)
    default:
      position = start
      throw error("a value")
    }
  }
}

// MARK: - Strings

extension JSONParser {
  /// The rest of a string, behind its opening quote.
  private mutating func string() throws(JSONError) -> String {
    var text = ""
    while true {
      let start = position
      while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
        position += 1
      }
      text += String(decoding: bytes[start..<position], as: UTF8.self)
      if next == UInt8(ascii: "\"") { break }
      guard next == UInt8(ascii: "\\") else { throw error("the end of a string") }
      position += 1
      try escape(to: &text)
    }
    position += 1
    return text
  }

  private mutating func escape(to text: inout String) throws(JSONError) {
    guard let byte = next else { throw error("an escape sequence") }
    guard byte != UInt8(ascii: "u") else {
      text += String(decoding: try codeUnits(), as: UTF16.self)
      return
    }
    let escapes: KeyValuePairs<Character, Character> = [
      "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
    ]
    let name = Character(Unicode.Scalar(byte))
    guard let escape = escapes.first(where: { $0.key == name }) else { throw error("an escape sequence") }
    text.append(escape.value)
    position += 1
  }

  /// All that follow one another: characters may take two. The position is behind the first backslash.
  private mutating func codeUnits() throws(JSONError) -> [UInt16] {
    var units: [UInt16] = []
    while true {
      guard position + 5 <= bytes.count else { throw error("four hexadecimal digits") }
      let digits = String(decoding: bytes[position + 1..<position + 5], as: UTF8.self)
      guard !digits.hasPrefix("+"), let unit = UInt16(digits, radix: 16) else {
        throw error("four hexadecimal digits")
      }
      units.append(unit)
      position += 5
      guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
        bytes[position + 1] == UInt8(ascii: "u")
      else { return units }
      position += 1
    }
  }
}

extension UInt8 {
  /// Whether the byte may be part of a number, `true`, `false` or `null`.
  fileprivate var isPartOfPlainValue: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
      || [UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E")].contains(self)
  }
}
