/// Where a source file stores the result of a call straight into a property, or passes it under an argument's name:
/// `child.parent = Parent()`, `Child(parent: makeParent())`.
struct StoredResults {
  private struct Place: Hashable {
    var line: Int
    var callee: String
    var property: String
  }
  private var places: Set<Place> = []

  init(in text: SourceText) {
    let tokens = text.tokens
    for index in tokens.indices.dropFirst() where tokens[index].isMark("=") || tokens[index].isMark(":") {
      guard let property = tokens[index - 1].word, !Self.isDeclared(at: index - 1, tokens),
        let call = Self.call(behind: index, tokens)
      else { continue }
      places.insert(Place(line: call.line, callee: call.name, property: property))
    }
  }

  /// - Parameter callee: a type or function, without its module and the types around it.
  func has(_ callee: String, in property: String, at line: Int) -> Bool {
    [callee, Self.implied].contains { places.contains(Place(line: line, callee: $0, property: property)) }
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
    return rest.first.map { $0.isMark("(") || $0.isMark("<") } ?? false ? call : nil
  }
}

extension SourceText.Token {
  fileprivate var word: String? {
    if case .word(let word) = content { word } else { nil }
  }
}
