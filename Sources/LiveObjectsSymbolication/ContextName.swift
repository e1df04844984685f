/// One context of a demangled symbol (`closure #1 (Swift.String) -> ()`, or `Demo.Loader.load() -> ()`),
/// without types and without its module.
struct ContextName {
  var text: String
  var module: String?

  init(_ context: ArraySlice<UInt8>) {
    var words: [String] = []
    var isAttributed = false
    for word in BracketedText(context).split(at: " ") where !word.isEmpty {
      if Self.endsName(word) { break }
      let operands = isAttributed ? Self.shortened(word) : Self.operands(of: word)
      if let operands, let name = words.popLast() {
        words.append(name + operands)
        isAttributed = false
      } else if !Self.isClutter(word) {
        let (name, attribute) = Self.splittingAttribute(from: word)
        isAttributed = !attribute.isEmpty
        let (module, rest) = self.module == nil ? Self.splittingModule(from: name) : (nil, name)
        self.module = self.module ?? module
        words.append(Self.shortened(rest))
      }
    }
    text = words.joined(separator: " ")
  }

  /// The type of what was named, and its effects, begin here.
  private static func endsName(_ word: ArraySlice<UInt8>) -> Bool {
    ["->", ":", "async", "throws", "rethrows", "where"].contains { word.elementsEqual($0.utf8) }
      || word.starts(with: "throws(".utf8)
  }

  /// Attributes, and the type of a closure or a local function, which stands after its number.
  private static func isClutter(_ word: ArraySlice<UInt8>) -> Bool {
    if word.starts(with: "(extension".utf8) { return false }
    return "@(<".utf8.contains(word.first ?? 0) || word.starts(with: "nonisolated(".utf8)
  }

  /// `Demo.load@Sendable`, whose parameters follow as a word of their own.
  private static func splittingAttribute(
    from word: ArraySlice<UInt8>
  ) -> (name: ArraySlice<UInt8>, attribute: ArraySlice<UInt8>) {
    // Parameters may have attributes too: those stand in brackets.
    let brackets = BracketedText(word)
    var end = word.startIndex
    while end < word.endIndex, !"@(<[".utf8.contains(word[end]) {
      end = (brackets.closer(ofBracketAt: end) ?? end) + 1
    }
    return word[end...].first == UInt8(ascii: "@") ? (word[..<end], word[end...]) : (word, [])
  }

  /// `infix(A, A)`, which follows an operator's name, gives `(_:_:)`.
  private static func operands(of word: ArraySlice<UInt8>) -> String? {
    for fixity in ["infix", "prefix", "postfix"] where word.starts(with: (fixity + "(").utf8) {
      return shortened(word.dropFirst(fixity.utf8.count))
    }
    return nil
  }

  /// `Demo.Loader.load` is `Loader.load` of `Demo`; an extension names its own module first.
  private static func splittingModule(
    from word: ArraySlice<UInt8>
  ) -> (module: String?, rest: ArraySlice<UInt8>) {
    let prefix = "(extension in "
    if word.starts(with: prefix.utf8),
      let closer = BracketedText(word).closer(ofBracketAt: word.startIndex)
    {
      let module = word[word.startIndex..<closer].dropFirst(prefix.utf8.count)
      let extended = word[(closer + 1)...].drop { $0 == UInt8(ascii: ":") }
      return (String(decoding: module, as: UTF8.self), splittingModule(from: extended).rest)
    }
    let parts = BracketedText(word).split(at: ".")
    guard parts.count > 1, !parts[0].isEmpty, !parts[1].isEmpty else { return (nil, word) }
    return (String(decoding: parts[0], as: UTF8.self), word[parts[1].startIndex...])
  }

  /// The name without generic arguments, and with labels for parameters.
  private static func shortened(_ word: ArraySlice<UInt8>) -> String {
    let brackets = BracketedText(word)
    var result: [UInt8] = []
    var position = word.startIndex
    while position < word.endIndex {
      guard let closer = brackets.closer(ofBracketAt: position) else {
        result.append(word[position])
        position += 1
        continue
      }
      if word[position] == UInt8(ascii: "(") {
        result += labels(of: word[(position + 1)..<closer])
      } else if "[`".utf8.contains(word[position]) {
        result += word[position...closer]
      }
      position = closer + 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// `completion: (Swift.String) -> (), Swift.Int` gives `(completion:_:)`.
  private static func labels(of parameters: ArraySlice<UInt8>) -> [UInt8] {
    guard !parameters.isEmpty else { return Array("()".utf8) }
    var result = Array("(".utf8)
    for parameter in BracketedText(parameters).split(at: ", ") {
      let parts = BracketedText(parameter).split(at: ": ")
      result += parts.count > 1 ? Array(parts[0]) : Array("_".utf8)
      result.append(UInt8(ascii: ":"))
    }
    return result + Array(")".utf8)
  }
}

/// Text with brackets that nest, as demangled names have them: finds what stands outside of all.
///
/// `->` closes nothing, and an operator's own `<` or `>` is no bracket. The backticks of a raw identifier are brackets,
/// and nothing between them is one.
struct BracketedText {
  let bytes: ArraySlice<UInt8>
  /// The position of the closing bracket, for every position of an opening one.
  private let closers: [Int: Int]

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    closers = Self.matchBrackets(in: bytes)
  }

  /// The position of the bracket that closes the one at `position`; `nil` if none opens there.
  func closer(ofBracketAt position: Int) -> Int? { closers[position] }

  /// The parts between the separators that stand outside of all brackets.
  func split(at separator: StaticString) -> [ArraySlice<UInt8>] {
    let separator = separator.withUTF8Buffer { Array($0) }
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var position = start
    while position < bytes.endIndex {
      if let closer = closers[position] {
        position = closer + 1
      } else if bytes[position...].starts(with: separator) {
        parts.append(bytes[start..<position])
        position += separator.count
        start = position
      } else {
        position += 1
      }
    }
    return parts + [bytes[start...]]
  }

  /// An opening bracket that is never closed is an ordinary character.
  private static func matchBrackets(in bytes: ArraySlice<UInt8>) -> [Int: Int] {
    var closers: [Int: Int] = [:]
    var open: [Int] = []
    var next = bytes.startIndex
    while next < bytes.endIndex {
      let position = next
      next += 1
      let previous = position > bytes.startIndex ? bytes[position - 1] : UInt8(ascii: " ")
      switch bytes[position] {
      case UInt8(ascii: "`"):
        guard let closer = bytes[next...].firstIndex(of: UInt8(ascii: "`")) else { continue }
        closers[position] = closer
        next = closer + 1
      case UInt8(ascii: "("), UInt8(ascii: "["):
        open.append(position)
      case UInt8(ascii: "<") where opensArguments(after: previous):
        open.append(position)
      case UInt8(ascii: ">") where previous != UInt8(ascii: "-"):
        guard let opener = open.last, bytes[opener] == UInt8(ascii: "<") else { continue }
        closers[open.removeLast()] = position
      case let closer where closer == UInt8(ascii: ")") || closer == UInt8(ascii: "]"):
        let wanted = UInt8(ascii: closer == UInt8(ascii: ")") ? "(" : "[")
        // A "<" in between was not a bracket after all.
        while let last = open.last, bytes[last] == UInt8(ascii: "<") { open.removeLast() }
        guard let opener = open.last, bytes[opener] == wanted else { continue }
        closers[open.removeLast()] = position
      default:
        continue
      }
    }
    return closers
  }

  /// Generic arguments follow a name, other arguments or a space; an operator follows a dot.
  private static func opensArguments(after previous: UInt8) -> Bool {
    switch previous {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xff:
      true
    default:
      " _>)`".utf8.contains(previous)
    }
  }
}
