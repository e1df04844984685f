/// The stored properties that a source file declares, by type.
///
/// No parser: it follows brackets, and knows the words that begin declarations. Types inside of functions are left out.
struct DeclaredProperties {
  /// The lines by the names of type and property, `Outer.Inner` and `owner`. Several where conditions of the build choose.
  private var lines: [String: [String: [Int]]] = [:]

  /// Until they are read: a large file has millions.
  private var tokens: [SourceText.Token]
  /// What brackets are open, the file first.
  private var scopes = [Scope(names: [])]
  /// The type whose body the next brace opens.
  private var declared: Scope?

  private struct Scope {
    /// Of the type and those around it; `nil` in code and in other brackets.
    var names: [String]?
    var isExtension = false
    var list = PropertyList()
  }

  init(in text: SourceText) {
    tokens = text.tokens
    // Without its last closing bracket, the file is not understood: what follows may be anything.
    for index in tokens.indices where !scopes.isEmpty { read(at: index) }
    tokens = []
  }

  /// The line that declares a stored property; `nil` unless exactly one fits. A property wrapper or a macro stores its
  /// value under another name.
  func line(of property: String, in type: String) -> Int? {
    let ofType = lines[type] ?? [:]
    let found = ofType[property] ?? (property.hasPrefix("_") ? ofType[String(property.dropFirst())] : nil)
    return found?.count == 1 ? found?[0] : nil
  }
}

extension DeclaredProperties {
  private static let mostNames = 32
  private static let typeKeywords: Set = ["class", "struct", "actor", "enum", "protocol", "extension"]
  private static let otherKeywords: Set = [
    "func", "init", "deinit", "subscript", "case", "typealias", "associatedtype", "import", "macro",
    "operator",
  ]

  private mutating func read(at index: Int) {
    switch tokens[index].content {
    case .word(let word): read(word, at: index)
    case .mark(let mark): read(mark, at: index)
    }
  }

  private mutating func read(_ word: String, at index: Int) {
    let isMember = index > 0 && tokens[index - 1].isMark(".")
    guard let names = scopes[scopes.count - 1].names, !isMember else { return }
    var list = scopes[scopes.count - 1].list
    if list.expectsName {
      list.expectsName = false
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      if let next, next.isMark(":") || next.isMark("=") { add(word, of: names, at: tokens[index].line) }
    } else if Self.typeKeywords.contains(word), let new = self.names(at: index + 1) {
      let isDeep = names.count + new.count > Self.mostNames
      declared = isDeep ? nil : Scope(names: names + new, isExtension: word == "extension")
      list = PropertyList()
    } else if Self.otherKeywords.contains(word) {
      declared = nil
      list = PropertyList()
    } else {
      list.read(keyword: word)
    }
    scopes[scopes.count - 1].list = list
  }

  private mutating func add(_ property: String, of names: [String], at line: Int) {
    guard !names.isEmpty, !scopes[scopes.count - 1].isExtension else { return }
    lines[names.joined(separator: "."), default: [:]][property, default: []].append(line)
  }

  /// The names `Outer.Inner` behind the keyword of a type; `nil` for `class func` and a variable with the keyword's name.
  private func names(at start: Int) -> [String]? {
    var names: [String] = []
    for index in stride(from: start, to: tokens.count, by: 2) {
      guard case .word(let name) = tokens[index].content else { break }
      names.append(name)
      guard index + 1 < tokens.count, tokens[index + 1].isMark(".") else { break }
    }
    let isModifier = names.first.map { Self.otherKeywords.contains($0) || $0 == "var" || $0 == "let" } ?? true
    return isModifier ? nil : names
  }

  private mutating func read(_ mark: UInt8, at index: Int) {
    switch mark {
    case UInt8(ascii: "{"):
      scopes.append(declared ?? Scope())
      declared = nil
    case UInt8(ascii: "("), UInt8(ascii: "["): scopes.append(Scope())
    case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"): scopes.removeLast()
    default: scopes[scopes.count - 1].list.read(mark, after: index > 0 ? tokens[index - 1] : nil)
    }
  }
}

/// The state of a list `let number: Int, depot: Depot`.
private struct PropertyList {
  var expectsName = false
  private var isOpen = false
  private var isStatic = false
  /// Open angle brackets: a comma between them is of a type.
  private var angles = 0

  init() {}

  mutating func read(keyword: String) {
    switch keyword {
    case "static", "class": isStatic = true
    case "let", "var":
      (isOpen, expectsName, angles) = (!isStatic, !isStatic, 0)
      isStatic = false
    default: break
    }
  }

  mutating func read(_ mark: UInt8, after previous: SourceText.Token?) {
    expectsName = mark == UInt8(ascii: ",") && isOpen && angles == 0
    if mark == UInt8(ascii: "<"), case .word = previous?.content { angles += 1 }
    if mark == UInt8(ascii: ">"), previous?.isMark("-") != true { angles = max(0, angles - 1) }
  }
}
