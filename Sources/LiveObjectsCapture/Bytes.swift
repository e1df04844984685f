/// Reads little-endian values from front to back. Never reads past its end: a value that would
/// reach beyond is an error of the kind that `overrun` says.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  let end: Int
  private let overrun: CaptureError.Reason

  private init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>, overrun: CaptureError.Reason) {
    self.bytes = bytes
    self.overrun = overrun
    offset = range.lowerBound
    end = range.upperBound
  }

  /// A reader of a whole file, whose bytes must outlive it.
  package init(file bytes: UnsafeRawBufferPointer) {
    self.init(bytes, in: 0..<bytes.count, overrun: .cutOff)
  }

  /// A reader of a part of the same file.
  ///
  /// - Precondition: `range` came from `take`.
  func section(_ range: Range<Int>) -> ByteReader {
    ByteReader(bytes, in: range, overrun: .damaged("a record reaches past the end of its section"))
  }

  package var isAtEnd: Bool { offset == end }
  var remaining: Int { end - offset }

  /// Whether these bytes come next.
  func continues(with other: [UInt8]) -> Bool {
    bytes[offset..<end].starts(with: other)
  }

  /// Skips `count` bytes and returns where they are.
  mutating func take(_ count: some BinaryInteger) throws(CaptureError) -> Range<Int> {
    guard let count = Int(exactly: count), count >= 0, count <= remaining else {
      throw CaptureError(offset: offset, reason: overrun)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  package mutating func u32() throws(CaptureError) -> UInt32 {
    bytes.littleEndian(UInt32.self, at: try take(4).lowerBound)
  }

  mutating func u64() throws(CaptureError) -> UInt64 {
    bytes.littleEndian(UInt64.self, at: try take(8).lowerBound)
  }

  mutating func byteString() throws(CaptureError) -> [UInt8] {
    let count = try u32()
    return Array(bytes[try take(count)])
  }

  /// The bytes of a string that are kept. A report may repeat a name for every object, so that a long one
  /// would make it larger than any memory.
  static let longestString = 4096

  /// A string, cut where it is too long. Malformed UTF-8 is repaired: a name is for readers, and half a name
  /// is better than none.
  package mutating func string() throws(CaptureError) -> String {
    let count = try u32()
    return String(decoding: bytes[try take(count).prefix(Self.longestString)], as: UTF8.self)
  }

  package mutating func strings() throws(CaptureError) -> [String] {
    var strings: [String] = []
    for _ in 0..<(try u32()) { strings.append(try string()) }
    return strings
  }

  /// All whole records of `size` bytes up to the end.
  mutating func records(of size: Int) throws(CaptureError) -> UnsafeRawBufferPointer {
    try raw(remaining / size * size)
  }

  /// `count` bytes from here on that have been checked to be there, for reading without more checks.
  mutating func raw(_ count: Int) throws(CaptureError) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[try take(count)])
  }
}

extension UnsafeRawBufferPointer {
  /// The little-endian integer at `offset`, aligned or not.
  ///
  /// - Precondition: it lies within the buffer.
  func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

/// Little-endian values as `Documentation/internals/capture-format.md` lays them out, valid or not.
package struct ByteWriter {
  private var bytes: [UInt8] = []

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
