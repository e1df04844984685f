import LiveObjectsCapture

extension ByteWriter {
  /// A frame word: image id above, offset below.
  package mutating func frame(_ frame: Frame) {
    u64(UInt64(frame.image ?? 0xffff) << 48 | frame.offset & 0xffff_ffff_ffff)
  }

  /// A section with its header, the payload padded to a multiple of 8.
  package mutating func section(_ tag: String, _ payload: [UInt8]) {
    raw(tag.utf8)
    u32(0)
    u64(UInt64(payload.count))
    raw(payload)
    raw([UInt8](repeating: 0, count: -payload.count & 7))
  }
}
