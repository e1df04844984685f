/// Where a source file stores the result of a call straight into a property, or passes it under an argument's name:
/// `child.parent = Parent()`, `Child(parent: makeParent())`.
struct StoredResults {
  private struct Store: Hashable {
    var callee: String
    var property: String
  }
  private var stores: [Int: Set<Store>] = [:]
  private var stated: Set<Store> = []

  init(in text: SourceText) {
    let tokens = text.tokens
    for index in tokens.indices.dropFirst() where tokens[index].isMark("=") || tokens[index].isMark(":") {
      guard let property = tokens[index - 1].word, !Self.isDeclared(at: index - 1, tokens),
        let call = Self.call(behind: index, tokens)
      else { continue }
      let store = Store(callee: call.name, property: property)
      stores[call.line, default: []].insert(store)
      if index > 1, tokens[index].isMark("="), tokens[index - 2].isMark(".") { stated.insert(store) }
    }
  }

  /// - Parameter callee: a type or function, without its module and the types around it.
  func has(_ callee: String, in property: String, at line: Int) -> Bool {
    [callee, Self.implied].contains { stores[line]?.contains(Store(callee: $0, property: property)) == true }
  }

  /// What is called for a property of a named object, as in `child.parent = Parent()`. A name alone may be a variable's.
  func callees(statedIn property: String) -> [String] {
    stated.filter { $0.property == property }.map(\.callee)
  }

  /// The type of `.init()`, which the source does not name.
  private static let implied = "init"

  /// A variable of its own.
  private static func isDeclared(at index: Int, _ tokens: [SourceText.Token]) -> Bool {
    index > 0 && ["let", "var"].contains(tokens[index - 1].word)
  }

  /// The last name before the parenthesis of a call: `Demo.Parent()`, `Parent<Int>()`, `.init()`.
  private static func call(
    behind start: Int, _ tokens: [SourceText.Token]
  ) -> (name: String, line: Int)? {
    var rest = tokens[(start + 1)...].drop { ["try", "await"].contains($0.word) || $0.isMark(".") }
    var call: (name: String, line: Int)?
    while let first = rest.first, let name = first.word {
      if name != implied || call == nil { call = (name, first.line) }
      rest = rest.dropFirst()
      guard let mark = rest.first, mark.isMark(".") else { break }
      rest = rest.dropFirst()
    }
    return rest.dropFirst(arguments(at: rest)).first?.isMark("(") == true ? call : nil
  }

  /// The number of tokens of generic arguments. A type in a declaration has them too, and no parenthesis behind.
  private static func arguments(at rest: ArraySlice<SourceText.Token>) -> Int {
    guard rest.first?.isMark("<") == true else { return 0 }
    var depth = 0
    for (count, token) in rest.enumerated() {
      depth += token.isMark("<") ? 1 : token.isMark(">") ? -1 : 0
      if depth == 0 { return count + 1 }
    }
    return 0
  }
}

/// A property, and the files that may fill it.
struct StatedPlace: Hashable {
  var folder: String
  var property: String
}

extension SourceText.Token {
  fileprivate var word: String? {
    if case .word(let word) = content { word } else { nil }
  }
}
