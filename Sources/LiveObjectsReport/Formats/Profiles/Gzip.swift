/// Writes gzip files (RFC 1952).
package enum Gzip {
  /// Stored, not compressed: a profile's readers ask for the format, and a profile of a large server has some hundred
  /// kilobytes. zlib would be one more library that a program has to link.
  package static func file(of bytes: [UInt8]) -> [UInt8] {
    let noName: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
    return noName + storedBlocks(of: bytes) + littleEndian(checksum(of: bytes))
      + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// Blocks of DEFLATE (RFC 1951, 3.2.4).
  private static func storedBlocks(of bytes: [UInt8]) -> [UInt8] {
    var blocks: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(Int(UInt16.max))
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      blocks += [rest.isEmpty ? 1 : 0] + littleEndian(count) + littleEndian(~count) + block
    } while !rest.isEmpty
    return blocks
  }

  private static func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func checksum(of bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { remainders[Int(($0 ^ UInt32($1)) & 0xff)] ^ ($0 >> 8) }
  }

  /// Of CRC-32, for every byte.
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xedb8_8320 ^ (rest >> 1) : rest >> 1 }
  }
}
