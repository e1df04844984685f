/// The positions of the sections of one capture, found before any is decoded, so that a capture that was
/// cut off is detected at once.
struct CaptureOutline {
  /// All sections but the last, which says how many there are.
  private(set) var sections: [Section] = []

  private static let magic: [UInt8] = Array("LiveObj\0".utf8)
  private static let version: UInt32 = 1
  private static let headerSize = 16

  init(_ reader: inout ByteReader) throws(CaptureError) {
    try Self.readHeader(&reader)
    while !isJournal || !(reader.isAtEnd || reader.continues(with: Self.magic)) {
      let start = reader.offset
      guard let section = try next(&reader) else { return }
      guard section.tag == .end else {
        sections.append(section)
        continue
      }
      try checkEnd(section, at: start, reader)
      return
    }
  }

  static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: magic.prefix(bytes.count))
  }

  /// A journal is written piece by piece while the process runs, and has no end.
  private var isJournal: Bool { sections.first?.tag == .journal }

  /// - Returns: `nil` for the last piece of a journal, where it was cut off.
  private func next(_ reader: inout ByteReader) throws(CaptureError) -> Section? {
    do throws(CaptureError) {
      return try Section(&reader)
    } catch {
      guard isJournal, error.reason == .cutOff else { throw error }
      _ = try reader.raw(reader.remaining)
      return nil
    }
  }

  private static func readHeader(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let found = try reader.raw(min(magic.count, reader.remaining))
    guard found.elementsEqual(magic.prefix(found.count)) else {
      throw CaptureError(offset: start, reason: .notACapture)
    }
    guard found.count == magic.count else { throw CaptureError(offset: reader.offset, reason: .cutOff) }
    let version = try reader.u32()
    guard version == Self.version else {
      throw CaptureError(offset: start + 8, reason: .unsupportedVersion(version))
    }
    let size = try reader.u32()
    guard size >= headerSize else {
      throw CaptureError(offset: start + 12, reason: .damaged("its header is too short"))
    }
    _ = try reader.take(Int(size) - headerSize)
  }

  private func checkEnd(_ end: Section, at offset: Int, _ reader: ByteReader) throws(CaptureError) {
    var payload = reader.section(end.payload)
    guard end.payload.count == 8, try payload.u64() == sections.count else {
      throw CaptureError(offset: offset, reason: .damaged("sections are missing or were added"))
    }
  }
}
