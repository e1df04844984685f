/// Human-readable numbers.
enum Count {
  /// `1 object`, `1,234 objects`.
  static func of(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
    "\(grouped(count)) \(count == 1 ? one : many)"
  }

  /// `1,234,567`
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number))
    let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
    return groups.reversed().joined(separator: ",")
  }

  /// `640 bytes`, `6.4 KB`; a kilobyte has 1,024 bytes.
  static func bytes(_ count: UInt64) -> String {
    guard count >= 1024 else { return of(count, "byte", "bytes") }
    var (tenths, units) = (count / 1024 * 10 + count % 1024 * 10 / 1024, ["KB", "MB", "GB", "TB"][...])
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units.removeFirst()
    }
    return "\(grouped(tenths / 10)).\(tenths % 10) \(units[units.startIndex])"
  }
}
