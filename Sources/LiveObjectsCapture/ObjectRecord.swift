/// The record of an object in a capture.
struct ObjectRecord {
  static let size = 48

  private let bytes: UnsafeRawBufferPointer
  private let offset: Int

  /// - Precondition: `size` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Counted from 1.
  var type: UInt32 { field(24) }

  /// - Precondition: `type` is not 0.
  var object: LiveObject {
    let flags: UInt32 = field(36)
    return LiveObject(
      address: field(0), bytes: field(8), sequence: field(16), type: Int(type) - 1,
      stackTrace: field(28), scope: field(32), isPinned: flags & 1 != 0, wasWeaklyReferenced: flags & 4 != 0,
      strongCount: flags & 2 == 0 ? field(40) : nil)
  }

  private func field<T: FixedWidthInteger & BitwiseCopyable>(_ fieldOffset: Int) -> T {
    bytes.littleEndian(T.self, at: offset + fieldOffset)
  }
}
