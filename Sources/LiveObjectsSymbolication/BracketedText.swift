/// Text with brackets that nest, as demangled names have them: finds what stands outside of all.
///
/// `->` closes nothing, and an operator's own `<` or `>` is no bracket.
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
    for position in bytes.indices {
      let previous = position > bytes.startIndex ? bytes[position - 1] : UInt8(ascii: " ")
      switch bytes[position] {
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
