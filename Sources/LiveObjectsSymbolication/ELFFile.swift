import LiveObjectsSystem

/// A 64-bit little-endian ELF file on disk, as far as a report needs it.
///
/// It is read piece by piece and never mapped: a file that a build truncates meanwhile must not kill
/// the process that reads it. Every offset and size in it is taken for a lie until a read succeeds.
package final class ELFFile {
  struct Section {
    var name: String
    var type: UInt32
    var flags: UInt64
    var address: UInt64
    var offset: UInt64
    var size: UInt64
    /// The index of the section that holds the strings of this one.
    var link: Int
  }
  /// Numbers of the ELF specification.
  enum SectionType {
    static let symbols: UInt32 = 2
    static let dynamicSymbols: UInt32 = 11
  }
  enum SegmentType {
    static let interpreter: UInt32 = 3
    static let notes: UInt32 = 4
  }
  private static let buildIDNote: UInt32 = 3
  private static let executableFlag: UInt64 = 4

  /// Limits above those of any real file, so that a hostile one cannot make a report slow or large.
  private enum Limit {
    static let notes = 16
    static let noteBytes: UInt64 = 1 << 20
    static let interpreterBytes: UInt64 = 4096
    static let sectionNameBytes: UInt64 = 1 << 24
    static let sectionName = 256
    static let bytes: UInt64 = 1 << 29
  }

  struct Segment {
    var type: UInt32
    var offset: UInt64
    var size: UInt64
  }

  let path: String
  private let descriptor: CInt
  private let header: LittleEndianBytes

  /// - Returns: `nil` if the file cannot be opened or is not such an ELF file.
  package init?(path: String) {
    self.path = path
    descriptor = openRegularFile(path)
    guard descriptor >= 0 else { return nil }
    guard let header = Self.read(descriptor, 0, 64),
      header.bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1])
    else {
      close(descriptor)
      return nil
    }
    self.header = header
  }

  deinit { close(descriptor) }

  /// The linker's build id; empty where there is none.
  package var buildID: [UInt8] {
    for segment in segments.lazy.filter({ $0.type == SegmentType.notes }).prefix(Limit.notes)
    where segment.size <= Limit.noteBytes {
      if let notes = read(segment.offset, segment.size), let id = Self.buildID(in: notes) {
        return id
      }
    }
    return []
  }

  /// The path of the program's dynamic loader; `nil` for one that is linked statically.
  package var interpreter: String? {
    segments.first { $0.type == SegmentType.interpreter && $0.size <= Limit.interpreterBytes }
      .flatMap { read($0.offset, $0.size) }
      .map { String(decoding: $0.bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The compiler leaves its tables of types and protocols in every image that holds Swift code.
  package var holdsSwift: Bool { sections.contains { $0.name.hasPrefix("swift5_") } }

  /// Whether it was compiled with AddressSanitizer, whose runtime library is in it.
  package var hasAddressSanitizer: Bool { sections.contains { $0.name == "asan_globals" } }

  /// The compiler left in it what names files and lines.
  var holdsDebugInformation: Bool { sections.contains { $0.name == ".debug_info" } }

  /// Whether there is code at an address, from the section headers.
  func holdsCode(at address: UInt64) -> Bool {
    let section = sections.first { address >= $0.address && address - $0.address < $0.size && $0.address > 0 }
    return section.map { $0.flags & Self.executableFlag != 0 } ?? true
  }

  lazy var sections: [Section] = readSections()
  lazy var segments: [Segment] = readSegments()

  /// The bytes at an offset; `nil` unless the file has them all.
  func read(_ offset: UInt64, _ size: UInt64) -> LittleEndianBytes? {
    Self.read(descriptor, offset, size)
  }

  private static func read(_ descriptor: CInt, _ offset: UInt64, _ size: UInt64) -> LittleEndianBytes? {
    // A size is believed only up to the file's own, so that a lie allocates nothing.
    let fileSize = lseek(descriptor, 0, SEEK_END)
    let (end, overflow) = offset.addingReportingOverflow(size)
    guard !overflow, size <= Limit.bytes, fileSize >= 0, end <= UInt64(fileSize) else { return nil }
    return readBytes(of: descriptor, at: Int(offset), count: Int(size)).map(LittleEndianBytes.init)
  }

  private func readSegments() -> [Segment] {
    guard let offset = header.uint64(32), let size = header.uint16(54), size == 56,
      let count = header.uint16(56),
      let table = read(offset, UInt64(size) * UInt64(count))
    else { return [] }
    return (0..<Int(count)).compactMap { index in
      let start = index * Int(size)
      guard let type = table.uint32(start), let offset = table.uint64(start + 8),
        let size = table.uint64(start + 32)
      else { return nil }
      return Segment(type: type, offset: offset, size: size)
    }
  }

  private func readSections() -> [Section] {
    guard let offset = header.uint64(40), let size = header.uint16(58), size == 64,
      let count = header.uint16(60), let names = header.uint16(62),
      let table = read(offset, UInt64(size) * UInt64(count))
    else { return [] }
    let nameOffsets = (0..<Int(count)).map { table.uint32($0 * Int(size)) ?? 0 }
    var sections = (0..<Int(count)).map { Self.section(in: table, at: $0 * Int(size)) }
    guard sections.indices.contains(Int(names)), sections[Int(names)].size <= Limit.sectionNameBytes,
      let strings = read(sections[Int(names)].offset, sections[Int(names)].size)
    else { return sections }
    for index in sections.indices {
      sections[index].name = strings.string(Int(nameOffsets[index]), atMost: Limit.sectionName) ?? ""
    }
    return sections
  }

  private static func section(in table: LittleEndianBytes, at start: Int) -> Section {
    Section(
      name: "", type: table.uint32(start + 4) ?? 0, flags: table.uint64(start + 8) ?? 0,
      address: table.uint64(start + 16) ?? 0, offset: table.uint64(start + 24) ?? 0,
      size: table.uint64(start + 32) ?? 0, link: Int(table.uint32(start + 40) ?? 0))
  }

  /// Notes: name size, description size, type, then both, each padded to 4 bytes.
  private static func buildID(in notes: LittleEndianBytes) -> [UInt8]? {
    var position = 0
    while let nameSize = notes.uint32(position), let size = notes.uint32(position + 4),
      let type = notes.uint32(position + 8)
    {
      let name = position + 12
      let description = name + (Int(nameSize) + 3) & ~3
      let end = description + Int(size)
      guard end <= notes.bytes.count else { return nil }
      if type == buildIDNote, notes.bytes[name...].starts(with: "GNU\0".utf8) {
        return Array(notes.bytes[description..<end])
      }
      position = description + (Int(size) + 3) & ~3
    }
    return nil
  }
}

/// Little-endian integers and strings out of bytes that may be anything.
struct LittleEndianBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func uint16(_ offset: Int) -> UInt16? { load(offset) }
  func uint32(_ offset: Int) -> UInt32? { load(offset) }
  func uint64(_ offset: Int) -> UInt64? { load(offset) }

  /// The text from an offset to the next NUL byte.
  ///
  /// - Parameter count: the greatest length; compilers generate names of some ten thousand bytes.
  func string(_ offset: Int, atMost count: Int = 1 << 18) -> String? {
    guard bytes.indices.contains(offset) else { return nil }
    return String(decoding: bytes[offset...].prefix(count).prefix { $0 != 0 }, as: UTF8.self)
  }

  private func load<Integer: FixedWidthInteger>(_ offset: Int) -> Integer? {
    guard offset >= 0, offset <= bytes.count - MemoryLayout<Integer>.size else { return nil }
    return bytes.withUnsafeBytes {
      Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }
  }
}
