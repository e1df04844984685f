/// Little-endian values as `Documentation/internals/capture-format.md` lays them out, valid or not.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func u32(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func u64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A count, and as many strings.
  package mutating func strings(_ values: [String]) {
    u32(UInt32(values.count))
    for value in values { string(value) }
  }

  package mutating func string(_ value: String) {
    byteString(Array(value.utf8))
  }

  package mutating func byteString(_ value: [UInt8]) {
    u32(UInt32(value.count))
    bytes.append(contentsOf: value)
  }

  package mutating func raw(_ value: some Sequence<UInt8>) {
    bytes.append(contentsOf: value)
  }

  /// The bytes that `write` writes.
  package static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }
}
