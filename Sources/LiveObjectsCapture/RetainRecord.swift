/// The retains and releases of one object as they stand in a capture.
struct RetainRecord {
  static let size = 24

  var address: ObjectAddress
  var count: RetainCount

  /// - Precondition: `size` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    address = ObjectAddress(bytes.littleEndian(UInt64.self, at: offset))
    count = RetainCount(
      retains: bytes.littleEndian(UInt64.self, at: offset + 8),
      releases: bytes.littleEndian(UInt64.self, at: offset + 16))
  }
}
