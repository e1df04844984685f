import LiveObjectsCapture

/// Bytes of a capture as `Documentation/capture-format.md` lays them out, valid or not.
public struct ByteWriter {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func u32(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  public mutating func u64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A frame word: image id above, offset below.
  public mutating func frame(_ frame: Frame) {
    u64(UInt64(frame.image ?? 0xffff) << 48 | frame.offset & 0xffff_ffff_ffff)
  }

  /// A count, and as many strings.
  public mutating func strings(_ values: [String]) {
    u32(UInt32(values.count))
    for value in values { string(value) }
  }

  public mutating func string(_ value: String) {
    byteString(Array(value.utf8))
  }

  public mutating func byteString(_ value: [UInt8]) {
    u32(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  public mutating func raw(_ value: some Sequence<UInt8>) {
    bytes.append(contentsOf: value)
  }

  /// A section with its header, the payload padded to a multiple of 8.
  public mutating func section(_ tag: String, _ payload: [UInt8]) {
    raw(tag.utf8)
    u32(0)
    u64(UInt64(payload.count))
    raw(payload)
    raw([UInt8](repeating: 0, count: -payload.count & 7))
  }

  /// The bytes that `write` writes.
  public static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }
}
