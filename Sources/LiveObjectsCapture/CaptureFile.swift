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
    self = try Self.only(of: ReadableCaptures(in: bytes).all())
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

/// The readable captures of a file: those before the first one that is cut off or damaged.
public struct ReadableCaptures: Sendable {
  public private(set) var captures: [Capture] = []
  /// The reason why the rest could not be read; `nil` if all was read.
  public private(set) var failure: CaptureError?
  /// The bytes that the captures take, from the beginning of the file.
  public private(set) var size = 0

  public init(in bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ReadableCaptures(in: $0) }
  }

  /// - Parameters:
  ///   - bytes: must outlive the call only.
  ///   - discard: is called with the place of what was decoded and is not read again.
  package init(in bytes: UnsafeRawBufferPointer, discarding discard: (Range<Int>) -> Void = { _ in }) {
    var reader = ByteReader(file: bytes)
    if bytes.isEmpty { failure = CaptureError(offset: 0, reason: .empty) }
    while failure == nil && !reader.isAtEnd {
      do throws(CaptureError) {
        let outline = try CaptureOutline(&reader)
        add(try CaptureDecoder.decode(outline.sections, of: reader, discard))
        size = reader.offset
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

  static let magic: [UInt8] = Array("LiveObj\0".utf8)
  private static let version: UInt32 = 1
  private static let headerSize = 16

  init(_ reader: inout ByteReader) throws(CaptureError) {
    try Self.readHeader(&reader)
    while !isJournal || !(reader.isAtEnd || reader.continues(with: Self.magic)) {
      let start = reader.offset
      guard let section = try next(&reader) else { return }
      guard section.tag == "END!" else {
        sections.append(section)
        continue
      }
      try checkEnd(section, at: start, reader)
      return
    }
  }

  /// A journal is written piece by piece while the process runs, and has no end.
  private var isJournal: Bool { sections.first?.tag == "JRNL" }

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
      throw .damage(at: start + 12, "its header is too short")
    }
    _ = try reader.take(Int(size) - headerSize)
  }

  private func checkEnd(_ end: Section, at offset: Int, _ reader: ByteReader) throws(CaptureError) {
    var payload = reader.section(end.payload)
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
  /// Reads the header of a section, its payload skipped.
  init(_ reader: inout ByteReader) throws(CaptureError) {
    tag = String(decoding: try reader.raw(4), as: UTF8.self)
    let flagsOffset = reader.offset
    guard try reader.u32() == 0 else {
      throw .damage(at: flagsOffset, "a section has unknown flags")
    }
    let count = try reader.u64()
    payload = try reader.take(count)
    let padding = -payload.count & 7
    _ = try reader.take(padding)
  }
}
