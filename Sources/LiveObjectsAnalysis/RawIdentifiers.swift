// A raw identifier (Swift 6.2) is any text in backticks: the dots, brackets and slashes in it separate nothing.

extension StringProtocol {
  /// The part before the first `end` outside of raw identifiers; all of it if there is none.
  package func prefix(before end: Character) -> SubSequence {
    var isRaw = false
    return prefix { character in
      if character == "`" { isRaw.toggle() }
      return isRaw || character != end
    }
  }

  /// The names between dots: `Demo`, `` `a.b` `` and `count` of `` Demo.`a.b`.count ``.
  package var components: [SubSequence] {
    var isRaw = false
    return split { character in
      if character == "`" { isRaw.toggle() }
      return !isRaw && character == "."
    }
  }

  /// The id of a test as the name of its function: `Demo.Suite/works()` is `Demo.Suite.works()`.
  package var withDotsForSlashes: String {
    var isRaw = false
    return String(
      map { character in
        if character == "`" { isRaw.toggle() }
        return !isRaw && character == "/" ? "." : character
      })
  }
}
