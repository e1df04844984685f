/// Writes JSON as bytes, which takes less time than to append to a `String`: a report on many findings is tens of
/// megabytes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// What separates the elements of the innermost array or object: a space, or a new line with its indentation; nothing
  /// in a document for programs.
  private var separator: [UInt8]
  private var isFlat: Bool { separator.first != UInt8(ascii: "\n") }

  /// - Parameter isCompact: whether it writes no white space.
  init(isCompact: Bool = false) { separator = isCompact ? [] : [UInt8(ascii: "\n")] }

  mutating func endLine() { append("\n") }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null, .absent: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let digits): append(digits)
    case .string(let value): write(value)
    case .array(let values): write(values)
    case .object(let members): write(members)
    }
  }

  private mutating func write(_ values: some Collection<JSONValue>) {
    enclose(in: ("[", "]"), isFlat: isFlat || values.isEmpty) { writer, isFirst in
      for value in values {
        writer.separate(&isFirst)
        writer.write(value)
      }
    }
  }

  private mutating func write(_ members: KeyValuePairs<String, JSONValue>) {
    enclose(in: ("{", "}"), isFlat: isFlat || JSONValue.object(members).isFlat) { writer, isFirst in
      for (key, value) in members where !value.isAbsent {
        writer.separate(&isFirst)
        writer.write(key)
        writer.append(writer.separator.isEmpty ? ":" : ": ")
        writer.write(value)
      }
    }
  }

  private mutating func enclose(
    in brackets: (open: String, close: String), isFlat: Bool, _ body: (inout JSONWriter, inout Bool) -> Void
  ) {
    let outer = separator
    if !outer.isEmpty { separator = isFlat ? [UInt8(ascii: " ")] : outer + Array("  ".utf8) }
    append(brackets.open)
    var isEmpty = true
    body(&self, &isEmpty)
    if !isEmpty { bytes += isFlat ? separator : outer }
    append(brackets.close)
    separator = outer
  }

  private mutating func separate(_ isFirst: inout Bool) {
    if !isFirst { append(",") }
    isFirst = false
    bytes += separator
  }

  private mutating func append(_ string: String) {
    var string = string
    string.withUTF8 { bytes.append(contentsOf: $0) }
  }
}

extension JSONWriter {
  /// Escapes what JSON forbids, and also what would act on a terminal or end a line of JavaScript.
  mutating func write(_ string: String) {
    append("\"")
    defer { append("\"") }
    var string = string
    let isPlain = string.withUTF8 { $0.allSatisfy(Self.isPlain) }
    guard !isPlain else { return append(string) }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": append("\\\(scalar)")
      case "\n": append("\\n")
      case "\t": append("\\t")
      case _ where scalar.isPrintable: append(String(scalar))
      default: for unit in String(scalar).utf16 { append("\\u" + Self.fourDigits(unit)) }
      }
    }
  }

  /// Printable ASCII, and no character that is escaped.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private static func fourDigits(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
