/// The name of a collection, from that of its storage.
///
/// The storage of an array is also that of a `ContiguousArray` and an `ArraySlice`: `[Swift.String]` stands for
/// all three.
struct CollectionName {
  let text: String

  init?(storage name: String) {
    let generic = GenericName(name)
    switch generic.base {
    case "Swift._ContiguousArrayStorage" where generic.arguments.count == 1,
      "Swift._DictionaryStorage" where generic.arguments.count == 2:
      text = "[\(generic.arguments.map(Self.readable).joined(separator: ": "))]"
    case "Swift._SetStorage" where generic.arguments.count == 1:
      text = "Swift.Set<\(Self.readable(generic.arguments[0]))>"
    case "Swift.__StringStorage", "Swift.__SharedStringStorage": text = "Swift.String"
    case "Foundation.__DataStorage", "FoundationEssentials.__DataStorage": text = "Foundation.Data"
    default: return nil
    }
  }

  /// `Swift.Array<Swift.String>` is `[Swift.String]`.
  private static func readable(_ name: Substring) -> String {
    let generic = GenericName(name)
    let arguments = generic.arguments.map(readable)
    switch (generic.base, arguments.count) {
    case (_, 0): return String(name)
    case ("Swift.Array", 1): return "[\(arguments[0])]"
    case ("Swift.Dictionary", 2): return "[\(arguments[0]): \(arguments[1])]"
    case ("Swift.Optional", 1): return "\(arguments[0])?"
    default: return "\(generic.base)<\(arguments.joined(separator: ", "))>"
    }
  }
}

/// The parts of `Module.Type<Argument, Argument>`.
private struct GenericName {
  let base: Substring
  /// Empty for a type without arguments, and for one inside of a generic type.
  private(set) var arguments: [Substring] = []

  init(_ name: some StringProtocol) {
    let name = Substring(name)
    base = name.prefix { $0 != "<" }
    guard name.last == ">", base.endIndex < name.endIndex, !base.contains(where: { "(& ".contains($0) })
    else {
      return
    }
    let inner = name[name.index(after: base.endIndex)...].dropLast()
    var (start, depth) = (inner.startIndex, 0)
    for (index, character) in zip(inner.indices, inner) {
      if "<([".contains(character) { depth += 1 }
      if ")]".contains(character) || character == ">" && inner[..<index].last != "-" { depth -= 1 }
      guard depth >= 0 else {
        arguments = []
        return
      }
      guard character == ",", depth == 0 else { continue }
      arguments.append(inner[start..<index])
      start = inner.index(index, offsetBy: 2, limitedBy: inner.endIndex) ?? inner.endIndex
    }
    arguments.append(inner[start...])
  }
}
