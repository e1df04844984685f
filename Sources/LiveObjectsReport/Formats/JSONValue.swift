/// A JSON document. Keys keep the order in which they are written down.
package enum JSONValue {
  case null
  /// Leaves its key out.
  case absent
  case bool(Bool)
  case integer(String)
  case string(String)
  /// A collection may make its elements one by one, so that a long document need not be there as a whole.
  case array(any Collection<JSONValue>)
  case object(KeyValuePairs<String, JSONValue>)

  static func integer(_ value: some BinaryInteger) -> JSONValue { .integer(String(value)) }
  package static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }

  /// The string, or null.
  static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
}

extension JSONValue {
  /// The document, indented; what holds only plain values stands on one line.
  package var text: String {
    var text = ""
    write(to: &text, indentation: "\n")
    return text + "\n"
  }

  private var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }

  private var isFlat: Bool {
    switch self {
    case .array(let values): values.isEmpty
    case .object(let members): members.allSatisfy { $0.value.isFlat }
    default: true
    }
  }

  private func write(to text: inout String, indentation: String) {
    switch self {
    case .null, .absent: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let digits): text += digits
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      Self.write(values, between: ("[", "]"), isFlat: isFlat, to: &text, indentation) { value, text, inner in
        value.write(to: &text, indentation: inner)
      }
    case .object(let members):
      Self.write(
        members.filter { !$0.value.isAbsent }, between: ("{", "}"), isFlat: isFlat, to: &text, indentation
      ) {
        member, text, inner in
        Self.write(member.key, to: &text)
        text += ": "
        member.value.write(to: &text, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: some Collection<Element>, between brackets: (open: String, close: String), isFlat: Bool,
    to text: inout String, _ indentation: String, element: (Element, inout String, String) -> Void
  ) {
    let inner = isFlat ? " " : indentation + "  "
    text += brackets.open
    for (index, value) in elements.enumerated() {
      text += index == 0 ? inner : "," + inner
      element(value, &text, inner)
    }
    if !elements.isEmpty { text += isFlat ? " " : indentation }
    text += brackets.close
  }

  /// Escapes what JSON forbids, and also what would act on a terminal or end a line of JavaScript.
  static func write(_ string: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    guard !string.utf8.allSatisfy(isPlain) else {
      text += string
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case _ where scalar.isPrintable: text.unicodeScalars.append(scalar)
      default: for unit in String(scalar).utf16 { text += "\\u" + fourDigits(unit) }
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
