extension String {
  /// The last component of a path.
  package var fileName: String {
    let slash = UInt8(ascii: "/")
    guard let last = utf8.lastIndex(where: { $0 != slash }) else { return self }
    guard let before = utf8[...last].lastIndex(of: slash) else { return String(self[...last]) }
    return String(self[utf8.index(after: before)...last])
  }
}
