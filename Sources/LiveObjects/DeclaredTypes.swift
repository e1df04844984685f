internal import CLiveObjects
internal import LiveObjectsAnalysis

/// The types that the process's files declare, with or without instances.
package enum DeclaredTypes {
  private static let answers = Locked<[String: Bool]>([:])

  /// Whether a type's name may contain a text; a misspelt one would match nothing, for ever.
  ///
  /// What cannot be looked up may: names of closures, and generic arguments.
  package static func mayContain(_ text: String) -> Bool {
    Recorder.ignoring {
      answers.withLock { answers in
        let answer = answers[text] ?? isDeclared(text)
        answers[text] = answer
        return answer
      }
    }
  }

  private static func isDeclared(_ text: String) -> Bool {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    let isKind = ObjectKind.allCases.contains { $0.rawValue.contains(text) }
    guard !isKind, name.endIndex == text.endIndex || text[name.endIndex] == "<" else { return true }
    return liveobj_declares_type(String(name))
  }
}
