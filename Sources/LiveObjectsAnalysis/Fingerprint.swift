/// A short name for a finding that stays the same from run to run and from build to build.
enum Fingerprint {
  /// FNV-1a, 64 bits: small, stable, and good enough where a report holds some hundreds.
  /// Fields are kept apart by a byte that UTF-8 does not use.
  static func make(_ fields: [String]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in fields.lazy.map({ Array($0.utf8) }).joined(separator: [0xff]) {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
