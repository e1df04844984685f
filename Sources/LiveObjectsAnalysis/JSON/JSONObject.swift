/// An object of a JSON document, whose values are read by their keys.
package struct JSONObject {
  /// Counts are added up, which must not overflow. Sizes stay at their greatest value.
  private static let greatestCount = 1 << 40

  private let members: [ParsedJSON.Member]

  package init(_ value: ParsedJSON) throws(JSONError) {
    guard case .object(let members) = value else { throw JSONError(expectation: "an object", place: "") }
    self.members = members
  }

  /// - Returns: `nil` for null, and for a key that is not there.
  package subscript(key: String) -> ParsedJSON? {
    guard let value = members.first(where: { $0.key == key })?.value else { return nil }
    if case .null = value { return nil }
    return value
  }

  private func required<Value>(_ key: String, _ expectation: String, _ value: Value?) throws(JSONError)
    -> Value
  {
    guard let value else { throw JSONError(expectation: expectation, place: key) }
    return value
  }

  /// - Returns: `nil` for null.
  package func optionalString(_ key: String) throws(JSONError) -> String? {
    guard let value = self[key] else { return nil }
    guard case .string(let text) = value else { throw JSONError(expectation: "a string or null", place: key) }
    return text
  }

  package func string(_ key: String) throws(JSONError) -> String {
    try required(key, "a string", optionalString(key))
  }

  func fingerprint(_ key: String) throws(JSONError) -> String {
    let text = try string(key)
    return try required(key, "16 hexadecimal digits", text.isFingerprint ? text : nil)
  }

  /// - Returns: `nil` for null.
  package func optionalNumber<Number: FixedWidthInteger>(_ key: String) throws(JSONError) -> Number? {
    guard let value = self[key] else { return nil }
    guard case .number(let text) = value, let number = Number(text),
      !Number.isSigned || (0...Self.greatestCount).contains(Int(number))
    else { throw JSONError(expectation: "a number from 0 to 2^40, or null", place: key) }
    return number
  }

  package func number<Number: FixedWidthInteger>(_ key: String) throws(JSONError) -> Number {
    try required(key, "a number", optionalNumber(key))
  }

  package func bool(_ key: String) throws(JSONError) -> Bool {
    guard case .bool(let value)? = self[key] else {
      throw JSONError(expectation: "true or false", place: key)
    }
    return value
  }

  /// Whether there is such a key, with `true`.
  package func flag(_ key: String) throws(JSONError) -> Bool { try self[key] == nil ? false : bool(key) }

  /// One of some texts.
  package func choice<Value: RawRepresentable<String>>(_ key: String) throws(JSONError) -> Value {
    try required(key, "a value that is known", Value(rawValue: string(key)))
  }

  /// One of some values, by its name in the document.
  package func choice<Value: CaseIterable>(_ key: String, named name: (Value) -> String) throws(JSONError)
    -> Value
  {
    let text = try string(key)
    return try required(key, "a value that is known", Value.allCases.first { name($0) == text })
  }

  package func strings(_ key: String) throws(JSONError) -> [String] {
    try elements(key) { value throws(JSONError) in
      guard case .string(let text) = value else { throw JSONError(expectation: "a string", place: "") }
      return text
    }
  }

  /// - Returns: an empty array for a key that is not there.
  package func optionalStrings(_ key: String) throws(JSONError) -> [String] {
    try self[key] == nil ? [] : strings(key)
  }

  /// - Returns: `nil` for null.
  package func object<Value>(_ key: String, _ decode: (JSONObject) throws(JSONError) -> Value)
    throws(JSONError)
    -> Value?
  {
    guard let value = self[key] else { return nil }
    do {
      return try decode(JSONObject(value))
    } catch {
      throw error.within(key)
    }
  }

  package func objects<Value>(
    _ key: String, _ decode: (JSONObject) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    try elements(key) { value throws(JSONError) in try decode(JSONObject(value)) }
  }

  /// - Returns: an empty array for a key that is not there.
  package func optionalObjects<Value>(
    _ key: String, _ decode: (JSONObject) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    try self[key] == nil ? [] : objects(key, decode)
  }

  private func elements<Value>(
    _ key: String, _ decode: (ParsedJSON) throws(JSONError) -> Value
  ) throws(JSONError) -> [Value] {
    guard case .array(let values)? = self[key] else { throw JSONError(expectation: "an array", place: key) }
    var elements: [Value] = []
    elements.reserveCapacity(values.count)
    for (index, value) in values.enumerated() {
      do {
        elements.append(try decode(value))
      } catch {
        throw error.within("\(key)[\(index)]")
      }
    }
    return elements
  }
}
