/// Little-endian integers and strings out of bytes that may be anything.
struct LittleEndianBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func uint16(_ offset: Int) -> UInt16? { load(offset) }
  func uint32(_ offset: Int) -> UInt32? { load(offset) }
  func uint64(_ offset: Int) -> UInt64? { load(offset) }

  /// The text from an offset to the next NUL byte.
  ///
  /// - Parameter count: the greatest length; compilers generate names of some ten thousand bytes.
  func string(_ offset: Int, atMost count: Int = 1 << 18) -> String? {
    guard bytes.indices.contains(offset) else { return nil }
    return String(decoding: bytes[offset...].prefix(count).prefix { $0 != 0 }, as: UTF8.self)
  }

  private func load<Integer: FixedWidthInteger>(_ offset: Int) -> Integer? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Integer>.size else { return nil }
    return bytes.withUnsafeBytes {
      Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
  }
}
