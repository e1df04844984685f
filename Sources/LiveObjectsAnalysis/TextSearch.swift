extension StringProtocol {
  /// `contains` for ASCII text, by bytes instead of characters: names are searched by the million.
  package func holds(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard let first = wanted.first else { return true }
    let found = utf8.withContiguousStorageIfAvailable { bytes in
      guard bytes.count >= wanted.count else { return false }
      return (0...bytes.count - wanted.count).contains { start in
        bytes[start] == first && bytes[start..<start + wanted.count].elementsEqual(wanted)
      }
    }
    return found ?? contains("\(text)")
  }
}
