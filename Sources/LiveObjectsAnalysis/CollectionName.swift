/// The name of a collection, from that of its storage.
///
/// Foundation's collections are their own storage, and have Swift's inside.
///
/// The storage of an array is also that of a `ContiguousArray` and an `ArraySlice`: `[Swift.String]` stands for
/// all three.
struct CollectionName {
  let text: String
  /// Of Foundation's collections, whose classes show it by their names alone.
  let kind: ObjectKind?

  init?(storage name: String) {
    var reader = TypeNameReader(name)
    let arguments = reader.arguments()
    kind = Self.foundation[reader.base]
    if kind != nil {
      text = name == "FoundationEssentials.AttributedString.Guts" ? "Foundation.AttributedString" : name
      return
    }
    switch (String(reader.base), arguments?.count) {
    case ("Swift._ContiguousArrayStorage", 1), ("Swift._DictionaryStorage", 2):
      text = "[\(arguments!.joined(separator: ": "))]"
    case ("Swift._SetStorage", 1): text = "Swift.Set<\(arguments![0])>"
    case ("Swift.__StringStorage", _), ("Swift.__SharedStringStorage", _): text = "Swift.String"
    case ("Foundation.__DataStorage", _), ("FoundationEssentials.__DataStorage", _): text = "Foundation.Data"
    default: return nil
    }
  }

  /// Those that can grow.
  private static let foundation: [Substring: ObjectKind] = [
    "Foundation.NSMutableArray": .arrayStorage,
    "Foundation.NSMutableAttributedString": .stringStorage,
    "Foundation.NSMutableData": .dataStorage,
    "Foundation.NSMutableDictionary": .dictionaryStorage,
    "Foundation.NSMutableOrderedSet": .setStorage,
    "Foundation.NSMutableSet": .setStorage,
    "Foundation.NSMutableString": .stringStorage,
    "Foundation.NSCountedSet": .setStorage,
    "FoundationEssentials.AttributedString.Guts": .stringStorage,
  ]
}

/// Reads a type name once, and makes it readable: `Swift.Array<Swift.String>` is `[Swift.String]`.
///
/// Names that are no `Module.Type<Argument, Argument>` stay as they are: functions, tuples, and types inside of generic
/// ones.
private struct TypeNameReader {
  private let name: Substring.UTF8View
  private var index: Substring.Index

  init(_ name: String) {
    self.name = name[...].utf8
    index = name.startIndex
  }

  /// The name up to its arguments.
  var base: Substring { Substring(name).prefix(before: "<") }

  private var next: UInt8? { index < name.endIndex ? name[index] : nil }

  /// The arguments of the whole name; `nil` if it has none.
  mutating func arguments() -> [String]? {
    index = base.endIndex
    guard let arguments = listedArguments(), index == name.endIndex else { return nil }
    return arguments
  }

  /// `<Argument, Argument>`; `nil` where something else follows.
  private mutating func listedArguments() -> [String]? {
    guard next == UInt8(ascii: "<") else { return nil }
    var arguments: [String] = []
    repeat {
      name.formIndex(after: &index)
      if next == UInt8(ascii: " ") { name.formIndex(after: &index) }
      arguments.append(type())
    } while next == UInt8(ascii: ",")
    guard next == UInt8(ascii: ">") else { return nil }
    name.formIndex(after: &index)
    return arguments
  }

  /// One type, up to the comma or bracket that ends it.
  private mutating func type() -> String {
    let start = index
    while let byte = next, !"<>,(& [])".utf8.contains(byte) { skipCharacter() }
    let base = Substring(name[start..<index])
    let arguments = listedArguments()
    guard !skipRest(), let arguments else { return String(Substring(name[start..<index])) }
    switch (base, arguments.count) {
    case ("Swift.Array", 1): return "[\(arguments[0])]"
    case ("Swift.Dictionary", 2): return "[\(arguments[0]): \(arguments[1])]"
    case ("Swift.Optional", 1): return "\(arguments[0])?"
    default: return "\(base)<\(arguments.joined(separator: ", "))>"
    }
  }

  /// Goes to the end of the type. Returns whether it was not there. The `>` of an arrow ends nothing.
  private mutating func skipRest() -> Bool {
    let start = index
    var (depth, last) = (0, UInt8(0))
    while let byte = next {
      let isArrow = byte == UInt8(ascii: ">") && last == UInt8(ascii: "-")
      let closes = !isArrow && ")]>".utf8.contains(byte)
      if depth == 0, closes || byte == UInt8(ascii: ",") { break }
      depth += "<([".utf8.contains(byte) ? 1 : closes ? -1 : 0
      last = byte
      skipCharacter()
    }
    return index != start
  }

  /// Goes to the next character, or behind a raw identifier.
  private mutating func skipCharacter() {
    let quote = UInt8(ascii: "`")
    if next == quote, let end = name[name.index(after: index)...].firstIndex(of: quote) { index = end }
    name.formIndex(after: &index)
  }
}
