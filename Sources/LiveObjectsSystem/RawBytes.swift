// Arguments, variables and names of files are bytes to the system, and need not be UTF-8. A program gets the bytes that
// this process got, so strings keep those that are no UTF-8: a byte is one of 128 scalars at the end of the last private
// plane. Where the system's text has such a scalar itself, its bytes are kept in the same way.

extension Unicode.Scalar {
  private static let rawBytes: ClosedRange<UInt32> = 0x10_ff80...0x10_ffff

  /// - Parameter byte: at least 0x80.
  fileprivate init(rawByte byte: UInt8) {
    self = Unicode.Scalar(Self.rawBytes.lowerBound + UInt32(byte) - 0x80)!
  }

  /// The byte that the scalar stands for.
  fileprivate var rawByte: UInt8? { Self.rawBytes.contains(value) ? UInt8(value & 0xff) : nil }
}

extension String {
  /// A text of the system, from which `rawBytes` gives the same bytes.
  package init(rawBytes bytes: [UInt8]) {
    self.init()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var rest = bytes[...]
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        append(scalar, encodedAs: rest.prefix(encoded.count))
        rest = rest.dropFirst(encoded.count)
      case .error(let length):
        unicodeScalars.append(contentsOf: rest.prefix(length).map(Unicode.Scalar.init(rawByte:)))
        rest = rest.dropFirst(length)
      case .emptyInput: return
      }
    }
  }

  package init(rawCString pointer: UnsafePointer<CChar>) {
    self.init(rawBytes: Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))))
  }

  private mutating func append(_ scalar: Unicode.Scalar, encodedAs bytes: ArraySlice<UInt8>) {
    if scalar.rawByte == nil {
      unicodeScalars.append(scalar)
    } else {
      unicodeScalars.append(contentsOf: bytes.map(Unicode.Scalar.init(rawByte:)))
    }
  }

  /// The bytes for the system.
  package var rawBytes: [UInt8] {
    guard unicodeScalars.contains(where: { $0.rawByte != nil }) else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in scalar.rawByte.map { [$0] } ?? Array(String(scalar).utf8) }
  }
}
