/// The bytes of a file, of which only the piece in use has to be in memory.
package struct FileBytes {
  let count: Int
  private let load: (Range<Int>) -> UnsafeRawBufferPointer
  let discard: (Range<Int>) -> Void

  /// - Parameters:
  ///   - load: returns the bytes at a place, which have to be there until the next call only. Fewer than were
  ///     requested if the file is shorter by now.
  ///   - discard: is called with the place of what is not read again.
  package init(
    count: Int, load: @escaping (Range<Int>) -> UnsafeRawBufferPointer,
    discarding discard: @escaping (Range<Int>) -> Void = { _ in }
  ) {
    (self.count, self.load, self.discard) = (count, load, discard)
  }

  /// - Parameter bytes: must outlive it.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count, load: { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
  }

  package func bytes(in range: Range<Int>) -> [UInt8] { Array(load(range)) }

  /// A reader of a part, not to be used when another one was made.
  func reader(of range: Range<Int>, overrun: CaptureError.Reason) throws(CaptureError) -> ByteReader {
    let bytes = load(range)
    guard bytes.count == range.count else {
      throw CaptureError(offset: range.lowerBound + bytes.count, reason: .cutOff)
    }
    return ByteReader(bytes, at: range.lowerBound, overrun: overrun)
  }
}

/// A position in a file that moves from front to back. It never passes its end: what would reach beyond is an
/// error of the kind that `overrun` says.
struct ByteCursor {
  private(set) var offset: Int
  private let end: Int
  private let overrun: CaptureError.Reason

  init(_ range: Range<Int>, overrun: CaptureError.Reason) {
    (offset, end, self.overrun) = (range.lowerBound, range.upperBound, overrun)
  }

  var isAtEnd: Bool { offset == end }
  var remaining: Int { end - offset }

  /// Where the next bytes are, up to `count` of them.
  func next(_ count: Int) -> Range<Int> { offset..<offset + min(count, remaining) }

  /// Skips `count` bytes and returns where they are.
  mutating func take(_ count: some BinaryInteger) throws(CaptureError) -> Range<Int> {
    guard let count = Int(exactly: count), count >= 0, count <= remaining else {
      throw CaptureError(offset: offset, reason: overrun)
    }
    defer { offset += count }
    return offset..<offset + count
  }
}

/// Reads little-endian values from front to back.
package struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  /// The place of the bytes in the file.
  private let start: Int
  private var cursor: ByteCursor

  init(_ bytes: UnsafeRawBufferPointer, at start: Int, overrun: CaptureError.Reason) {
    (self.bytes, self.start) = (bytes, start)
    cursor = ByteCursor(start..<start + bytes.count, overrun: overrun)
  }

  /// A reader of a whole file, whose bytes must outlive it.
  package init(file bytes: UnsafeRawBufferPointer) {
    self.init(bytes, at: 0, overrun: .cutOff)
  }

  var offset: Int { cursor.offset }
  package var isAtEnd: Bool { cursor.isAtEnd }
  var remaining: Int { cursor.remaining }

  package mutating func u32() throws(CaptureError) -> UInt32 {
    try raw(4).littleEndian(UInt32.self, at: 0)
  }

  package mutating func u64() throws(CaptureError) -> UInt64 {
    try raw(8).littleEndian(UInt64.self, at: 0)
  }

  mutating func byteString() throws(CaptureError) -> [UInt8] {
    let count = try u32()
    return Array(try raw(count))
  }

  /// The bytes of a string that are kept. A report may repeat a name for every object, so that a long one
  /// would make it larger than any memory.
  static let longestString = 4096

  /// A string, cut where it is too long. Malformed UTF-8 is repaired: a name is for readers, and half a name
  /// is better than none.
  package mutating func string() throws(CaptureError) -> String {
    let count = try u32()
    return String(decoding: try raw(count).prefix(Self.longestString), as: UTF8.self)
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
  mutating func raw(_ count: some BinaryInteger) throws(CaptureError) -> UnsafeRawBufferPointer {
    let range = try cursor.take(count)
    return UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound - start..<range.upperBound - start])
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
