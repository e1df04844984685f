/// Searches a function in a source file for a closure by its number: optimised, a closure that is equal to another one has
/// no debug information.
///
/// No parser: it knows the words before a brace that is no closure's. It gives up where braces may be anything.
struct ClosureSearch {
  private let tokens: [SourceText.Token]

  init(in text: SourceText) { tokens = text.tokens }

  /// The line where a closure begins.
  ///
  /// - Parameters:
  ///   - numbers: those of the closure and of the closures around it, the outermost first; each counts from 1.
  ///   - line: of the function's declaration.
  func line(ofClosure numbers: [Int], inFunctionAt line: Int) -> Int? {
    guard var brace = body(ofFunctionAt: line) else { return nil }
    for number in numbers {
      guard let closures = closures(in: brace), closures.indices.contains(number - 1) else { return nil }
      brace = closures[number - 1]
    }
    return tokens[brace].line
  }
}

// MARK: - Words

extension ClosureSearch {
  /// What the next brace opens, if it is no closure.
  private enum Header: Equatable {
    /// A statement: its closures are the function's.
    case statement
    /// A local function, type or accessor: its closures are its own.
    case declaration
    /// A variable, until its initial value begins.
    case variable(line: Int)
    /// A case, until its colon.
    case pattern
  }

  private static let statements: Set = [
    "if", "guard", "while", "for", "switch", "do", "catch", "else", "defer",
  ]
  private static let declarations: Set = [
    "func", "class", "struct", "enum", "actor", "extension", "protocol",
  ]
  /// What may follow `#` without a brace.
  private static let literals: Set = [
    "file", "fileID", "filePath", "line", "column", "function", "selector", "keyPath", "available",
    "unavailable",
  ]

  private func isWord(at index: Int) -> Bool {
    guard tokens.indices.contains(index), case .word = tokens[index].content else { return false }
    return true
  }

  private func isMark(_ marks: StaticString, at index: Int) -> Bool {
    guard tokens.indices.contains(index), case .mark(let mark) = tokens[index].content else { return false }
    return UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount).contains(mark)
  }

  /// A word that is no member and no label.
  private func keyword(at index: Int) -> String? {
    guard case .word(let word) = tokens[index].content, !isMark(".", at: index - 1),
      !isMark(":", at: index + 1)
    else { return nil }
    return word
  }

  /// The brace of the only function that is declared in a line.
  private func body(ofFunctionAt line: Int) -> Int? {
    let functions = tokens.indices.filter { index in
      tokens[index].line == line && ["func", "init", "deinit"].contains(keyword(at: index))
    }
    guard functions.count == 1 else { return nil }
    var depth = 0
    for index in tokens.indices[(functions[0] + 1)...] {
      if isMark("([", at: index) { depth += 1 }
      if isMark(")]", at: index) { depth -= 1 }
      guard depth >= 0, !isMark("}", at: index) || depth > 0 else { return nil }
      if depth == 0, isMark("{", at: index) { return index }
      if depth == 0, keyword(at: index) == "func" { return nil }
    }
    return nil
  }

  private func header(after header: Header?, at index: Int) -> Header? {
    guard let word = keyword(at: index) else { return header }
    if Self.statements.contains(word) { return .statement }
    if Self.declarations.contains(word), isWord(at: index + 1) || word == "func" { return .declaration }
    switch (header, word) {
    case (nil, "var"), (nil, "let"): return .variable(line: tokens[index].line)
    case (nil, "case"): return .pattern
    default: return header
    }
  }
}

// MARK: - Braces

extension ClosureSearch {
  /// The braces of a function's or closure's own closures, in order.
  ///
  /// - Returns: `nil` where the compiler may have seen others than the text has, or a brace may be none.
  private func closures(in brace: Int) -> [Int]? {
    var found: [Int] = []
    // For each open bracket, whether closures in it are the function's own, and what comes before its next brace.
    var open: [(isOwn: Bool, header: Header?)] = [(true, nil)]
    for index in tokens.indices[(brace + 1)...] {
      guard !isUnclear(at: index), let (isOwn, last) = open.last else { return nil }
      let header = header(after: continued(last, at: index), at: index)
      open[open.count - 1].header = header
      if isMark("{", at: index) {
        if isOwn, header == nil { found.append(index) }
        open[open.count - 1].header = nil
        open.append((isOwn && header == .statement, nil))
      } else if isMark("([", at: index) {
        open.append((isOwn && header != .declaration, nil))
      } else if isMark("})]", at: index) {
        open.removeLast()
        if open.isEmpty { return found }
      }
    }
    return nil
  }

  /// The header, unless it ends here: an initial value and the statements of a case may begin with closures, and a
  /// variable may end with its line.
  private func continued(_ header: Header?, at index: Int) -> Header? {
    switch header {
    case .variable(let line):
      let isNextLine = tokens[index].line > line && !isMark("{", at: index) && !isMark(":,", at: index - 1)
      return isNextLine || isMark("=", at: index) ? nil : header
    case .pattern: return isMark(":", at: index) ? nil : header
    default: return header
    }
  }

  /// Conditions of the build, macros, regular expressions, and `repeat`, whose `while` has no brace.
  private func isUnclear(at index: Int) -> Bool {
    switch tokens[index].content {
    case .word(let word):
      return isMark("#", at: index - 1) && !Self.literals.contains(word)
        || keyword(at: index) == "repeat" && isMark("{", at: index + 1)
    case .mark(UInt8(ascii: "/")): return !isWord(at: index - 1) && !isMark(")]", at: index - 1)
    default: return false
    }
  }
}
