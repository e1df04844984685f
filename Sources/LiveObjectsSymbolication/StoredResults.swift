/// Where source files store the result of a call straight into a property, or pass it under an argument's name:
/// `child.parent = Parent()`, `Child(parent: makeParent())`.
struct StoredResults {
  private struct Store: Hashable {
    var callee: String
    var property: String
  }
  private var stores: Set<Store> = []

  init(in texts: some Sequence<SourceText>) {
    for text in texts { add(text.tokens) }
  }

  private mutating func add(_ tokens: [SourceText.Token]) {
    for index in tokens.indices.dropFirst() where tokens[index].isMark("=") || tokens[index].isMark(":") {
      guard let property = tokens[index - 1].word, !Self.isDeclared(at: index - 1, tokens),
        let call = Self.call(behind: index, tokens)
      else { continue }
      stores.insert(Store(callee: call, property: property))
    }
  }

  /// - Parameter callee: a type or function, without its module and the types around it.
  func has(_ callee: String, in property: String) -> Bool {
    [callee, Self.implied].contains { stores.contains(Store(callee: $0, property: property)) }
  }

  /// The type of `.init()`, which the source does not name.
  private static let implied = "init"

  /// A variable of its own.
  private static func isDeclared(at index: Int, _ tokens: [SourceText.Token]) -> Bool {
    index > 0 && ["let", "var"].contains(tokens[index - 1].word)
  }

  /// The last name before the parenthesis of a call: `Demo.Parent()`, `Parent<Int>()`, `.init()`.
  private static func call(behind start: Int, _ tokens: [SourceText.Token]) -> String? {
    var rest = tokens[(start + 1)...].drop { ["try", "await"].contains($0.word) || $0.isMark(".") }
    var call: String?
    while let name = rest.first?.word {
      if name != implied || call == nil { call = name }
      rest = rest.dropFirst()
      guard let mark = rest.first, mark.isMark(".") else { break }
      rest = rest.dropFirst()
    }
    return rest.first.map { $0.isMark("(") || $0.isMark("<") } ?? false ? call : nil
  }
}

extension SourceText.Token {
  fileprivate var word: String? {
    if case .word(let word) = content { word } else { nil }
  }
}
