/// The names of one path without their modules, except where two of them would be equal.
struct ModulelessNames {
  private let ambiguous: Set<String>

  init(for names: some Sequence<String>) {
    let byShortName = Dictionary(grouping: Set(names), by: \.withoutModules)
    ambiguous = Set(byShortName.values.filter { $0.count > 1 }.joined())
  }

  subscript(name: String) -> String {
    ambiguous.contains(name) ? name : name.withoutModules
  }
}

extension String {
  /// `closure #1 in Demo.Box<Demo.Item>.run(with:)` is `closure #1 in Box<Item>.run(with:)`.
  var withoutModules: String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstIndex(where: \.isPartOfIdentifier) {
      result += rest[..<start]
      let name = rest[start...].prefix { $0.isPartOfIdentifier || $0 == "." }
      // After a dot stands a type inside of a generic one: `Demo.Outer<Swift.Int>.Inner.Leaf`.
      result += result.last == "." || name.isFileName ? name : name.withoutFirstComponent
      rest = rest[name.endIndex...]
    }
    return result + rest
  }
}

extension Substring {
  fileprivate var withoutFirstComponent: Substring {
    guard let dot = firstIndex(of: ".") else { return self }
    return self[index(after: dot)...]
  }

  /// The name of an image, which stands where no function is known.
  fileprivate var isFileName: Bool {
    hasSuffix(".so") || contains(".so.") || hasSuffix(".xctest")
  }
}

extension Character {
  fileprivate var isPartOfIdentifier: Bool { isLetter || isNumber || self == "_" || self == "$" }
}
