/// Writes messages in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding/), as far as profiles need it.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  /// An integer or a boolean. Zero is the default of every field, and left out.
  mutating func integer(_ field: UInt64, _ value: Int) {
    guard value != 0 else { return }
    varint(field << 3)
    varint(UInt64(clamping: value))
  }

  mutating func string(_ field: UInt64, _ value: String) { data(field, Array(value.utf8)) }

  mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    write(&message)
    data(field, message.bytes)
  }

  /// Repeated integers, zeros included.
  mutating func packed(_ field: UInt64, _ values: [Int]) {
    var packed = ProtobufWriter()
    for value in values { packed.varint(UInt64(clamping: value)) }
    data(field, packed.bytes)
  }

  private mutating func data(_ field: UInt64, _ data: [UInt8]) {
    varint(field << 3 | 2)
    varint(UInt64(data.count))
    bytes += data
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
