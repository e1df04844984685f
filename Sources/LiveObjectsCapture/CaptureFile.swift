extension Capture {
  /// Decodes the bytes of one capture.
  ///
  /// - Throws: where the bytes are no capture, are cut off or contradict the format.
  public init(decoding bytes: [UInt8]) throws(CaptureError) {
    self = try Self.only(of: ReadableCaptures(in: bytes).all())
  }

  /// Decodes the bytes of one capture where they are.
  ///
  /// - Throws: where the bytes are no capture, are cut off or contradict the format.
  public init(decoding bytes: UnsafeRawBufferPointer) throws(CaptureError) {
    self = try Self.only(of: ReadableCaptures(in: FileBytes(bytes)).all())
  }

  private static func only(of captures: [Capture]) throws(CaptureError) -> Capture {
    guard captures.count == 1 else {
      throw .damage(at: 0, "it holds \(captures.count) captures, one was expected")
    }
    return captures[0]
  }

  /// Whether bytes can be the first ones of a capture; a reader stops where they cannot.
  package static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: CaptureOutline.magic.prefix(bytes.count))
  }
}

/// The first bytes of a capture, from which its process is known before the rest is there.
package enum CaptureStart {
  /// The headers of the capture and of its first section, and the process id.
  package static let size = 36

  /// The id of the process.
  ///
  /// - Returns: `nil` if the bytes do not begin a capture.
  package static func process(of bytes: [UInt8]) -> Int32? {
    let (header, tag) = (16, Array("PROC".utf8))
    guard bytes.count >= size, bytes.withUnsafeBytes(Capture.mayBegin), bytes[header...].starts(with: tag)
    else {
      return nil
    }
    return bytes.withUnsafeBytes {
      Int32(littleEndian: $0.loadUnaligned(fromByteOffset: size - 4, as: Int32.self))
    }
  }
}

/// The readable captures of a file: those before the first one that is cut off or damaged.
public struct ReadableCaptures: Sendable {
  public private(set) var captures: [Capture] = []
  /// The reason why the rest could not be read; `nil` if all was read.
  public private(set) var failure: CaptureError?
  /// The bytes that the captures take, from the beginning of the file.
  public private(set) var size = 0

  public init(in bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ReadableCaptures(in: FileBytes($0)) }
  }

  package init(in file: FileBytes) {
    var cursor = ByteCursor(0..<file.count, overrun: .cutOff)
    if cursor.isAtEnd { failure = CaptureError(offset: 0, reason: .empty) }
    while failure == nil && !cursor.isAtEnd {
      do throws(CaptureError) {
        let outline = try CaptureOutline(&cursor, of: file)
        add(try CaptureDecoder.decode(outline.sections, of: file))
        size = cursor.offset
      } catch {
        failure = error
      }
    }
    // The process was ended while it wrote its capture: its journal shows that.
    if failure?.reason == .cutOff, captures.last?.isJournal == true { failure = nil }
  }

  /// - Throws: the reason why the rest could not be read.
  package func all() throws(CaptureError) -> [Capture] {
    if let failure { throw failure }
    return captures
  }

  /// A capture takes the place of its process's journal.
  private mutating func add(_ capture: Capture) {
    if let journal = captures.last, journal.isJournal, journal.process.id == capture.process.id {
      captures.removeLast()
    }
    captures.append(capture)
  }
}

/// The positions of the sections of one capture, found before any is decoded, so that a capture that was
/// cut off is detected at once.
private struct CaptureOutline {
  /// All sections but the last, which says how many there are.
  private(set) var sections: [Section] = []
  private let file: FileBytes

  static let magic: [UInt8] = Array("LiveObj\0".utf8)
  private static let version: UInt32 = 1
  private static let headerSize = 16

  init(_ cursor: inout ByteCursor, of file: FileBytes) throws(CaptureError) {
    self.file = file
    try skipHeader(&cursor)
    while try !isJournalEnd(cursor) {
      let start = cursor.offset
      guard let section = try next(&cursor) else { return }
      guard section.tag == "END!" else {
        sections.append(section)
        continue
      }
      try checkEnd(section, at: start)
      return
    }
  }

  /// A journal is written piece by piece while the process runs, and has no end.
  private var isJournal: Bool { sections.first?.tag == "JRNL" }

  private func isJournalEnd(_ cursor: ByteCursor) throws(CaptureError) -> Bool {
    guard isJournal, !cursor.isAtEnd else { return isJournal }
    var reader = try file.reader(of: cursor.next(Self.magic.count), overrun: .cutOff)
    return try reader.raw(reader.remaining).elementsEqual(Self.magic)
  }

  /// - Returns: `nil` for the last piece of a journal, where it was cut off.
  private func next(_ cursor: inout ByteCursor) throws(CaptureError) -> Section? {
    do throws(CaptureError) {
      return try Section(&cursor, of: file)
    } catch {
      guard isJournal, error.reason == .cutOff else { throw error }
      _ = try cursor.take(cursor.remaining)
      return nil
    }
  }

  private func skipHeader(_ cursor: inout ByteCursor) throws(CaptureError) {
    let start = cursor.offset
    var reader = try file.reader(of: cursor.next(Self.headerSize), overrun: .cutOff)
    let found = try reader.raw(min(Self.magic.count, reader.remaining))
    guard found.elementsEqual(Self.magic.prefix(found.count)) else {
      throw CaptureError(offset: start, reason: .notACapture)
    }
    guard found.count == Self.magic.count else { throw CaptureError(offset: reader.offset, reason: .cutOff) }
    let version = try reader.u32()
    guard version == Self.version else {
      throw CaptureError(offset: start + 8, reason: .unsupportedVersion(version))
    }
    let size = try reader.u32()
    guard size >= Self.headerSize else {
      throw .damage(at: start + 12, "its header is too short")
    }
    _ = try cursor.take(Self.headerSize)
    _ = try cursor.take(Int(size) - Self.headerSize)
  }

  private func checkEnd(_ end: Section, at offset: Int) throws(CaptureError) {
    var payload = try file.reader(of: end.payload.prefix(8), overrun: .cutOff)
    guard end.payload.count == 8, try payload.u64() == sections.count else {
      throw .damage(at: offset, "sections are missing or were added")
    }
  }
}

/// A tagged part of a capture.
struct Section {
  /// Four ASCII characters.
  var tag: String
  /// The position of the payload in the file.
  var payload: Range<Int>
}

extension Section {
  private static let headerSize = 16

  /// Reads the header of a section, its payload skipped.
  init(_ cursor: inout ByteCursor, of file: FileBytes) throws(CaptureError) {
    var reader = try file.reader(of: cursor.next(Self.headerSize), overrun: .cutOff)
    tag = String(decoding: try reader.raw(4), as: UTF8.self)
    let flagsOffset = reader.offset
    guard try reader.u32() == 0 else {
      throw .damage(at: flagsOffset, "a section has unknown flags")
    }
    let count = try reader.u64()
    _ = try cursor.take(Self.headerSize)
    payload = try cursor.take(count)
    let padding = -payload.count & 7
    _ = try cursor.take(padding)
  }

  /// What is decoded at a time: records of one size in pieces, since there may be as many as the heap has
  /// objects, all else as a whole.
  var pieces: [Range<Int>] {
    let sizes = ["OBJS": LiveObject.recordSize, "REFS": Reference.recordSize]
    guard let size = sizes[tag].map({ $0 << 14 }), payload.count > size else { return [payload] }
    return stride(from: payload.lowerBound, to: payload.upperBound, by: size).map {
      $0..<min($0 + size, payload.upperBound)
    }
  }
}
