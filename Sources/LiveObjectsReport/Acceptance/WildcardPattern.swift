/// A pattern in the syntax of LeakSanitizer's suppressions: `*` stands for any text, `^` and `$` for the ends;
/// without these, the pattern may match any part.
struct WildcardPattern: Sendable, Hashable {
  private let isAtStart: Bool
  private let isAtEnd: Bool
  /// The texts between asterisks, in their order.
  private let parts: [[UInt8]]

  init(_ pattern: Substring) {
    var rest = pattern.utf8[...]
    isAtStart = rest.first == UInt8(ascii: "^")
    if isAtStart { rest.removeFirst() }
    isAtEnd = rest.last == UInt8(ascii: "$")
    if isAtEnd { rest.removeLast() }
    parts = rest.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
  }

  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(Slice(base: $0, bounds: $0.indices)) }
  }

  /// Takes each part at the first place where it fits; only the last one has to reach the end.
  private func matches(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = text
    for (index, part) in parts.enumerated() {
      if index == 0, isAtStart {
        guard rest.starts(with: part) else { return false }
        rest = rest.dropFirst(part.count)
        if parts.count == 1 && isAtEnd { return rest.isEmpty }
      } else if index == parts.count - 1, isAtEnd {
        return rest.count >= part.count && rest.suffix(part.count).elementsEqual(part)
      } else {
        guard let end = rest.firstEnd(of: part) else { return false }
        rest = rest[end...]
      }
    }
    return true
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// The index behind the first occurrence of a part.
  fileprivate func firstEnd(of part: [UInt8]) -> Int? {
    guard count >= part.count else { return nil }
    return (startIndex...(endIndex - part.count)).first { self[$0...].starts(with: part) }.map {
      $0 + part.count
    }
  }
}
