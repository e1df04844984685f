/// Names are searched by the million: these compare bytes instead of characters.
extension StringProtocol {
  /// `contains`, for ASCII text.
  package func holds(_ text: StaticString) -> Bool {
    let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard let first = pattern.first else { return true }
    let found = utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.count >= pattern.count else { return false }
      return (0...bytes.count - pattern.count).contains { start in
        bytes[start] == first && bytes[start..<start + pattern.count].elementsEqual(pattern)
      }
    }
    return found ?? contains("\(text)")
  }

  /// The end of the last occurrence of a text; `nil` without one.
  package func end(ofLast text: String) -> Index? {
    let bytes = Substring(self).utf8
    var start = bytes.index(endIndex, offsetBy: -text.utf8.count, limitedBy: startIndex)
    while let place = start {
      if bytes[place...].starts(with: text.utf8) { return bytes.index(place, offsetBy: text.utf8.count) }
      start = place > startIndex ? bytes.index(before: place) : nil
    }
    return nil
  }
}
