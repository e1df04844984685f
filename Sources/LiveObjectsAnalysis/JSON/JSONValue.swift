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

  package static func integer(_ value: some BinaryInteger) -> JSONValue { .integer(String(value)) }
  package static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }

  /// The string, or null.
  package static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
}

extension JSONValue {
  /// The document, indented; what holds only plain values stands on one line.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    writer.endLine()
    return writer.bytes
  }

  /// The document for programs, without white space.
  package var compactBytes: [UInt8] {
    var writer = JSONWriter(isCompact: true)
    writer.write(self)
    return writer.bytes
  }

  /// `bytes` as a string.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }

  /// Whether the value stands on one line.
  var isFlat: Bool {
    switch self {
    case .array(let values): values.isEmpty
    case .object(let members): members.allSatisfy { $0.value.isFlat }
    default: true
    }
  }
}
