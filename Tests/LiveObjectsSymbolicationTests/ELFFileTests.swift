import CaptureFixtures
import Foundation
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

@Suite("An ELF file")
struct ELFFileTests {
  @Test("has a build id, a loader, and Swift code or none")
  func hasProperties() throws {
    let own = try #require(ELFFile(path: "/proc/self/exe"))
    #expect(own.buildID.count == 20)
    #expect(own.interpreter?.contains("ld-linux") == true)
    #expect(own.holdsSwift)

    let shell = try #require(ELFFile(path: "/bin/sh"))
    #expect(!shell.holdsSwift)
    #expect(ELFFile(path: #filePath) == nil)
    #expect(ELFFile(path: "/nowhere") == nil)
  }

  @Test("that is truncated or damaged is read as far as possible")
  func survivesDamage() throws {
    let folder = try TemporaryFolder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: "/bin/true"))
    var random = SplitMix64(seed: 7)
    for size in stride(from: 0, to: whole.count, by: 211) {
      var bytes = whole.prefix(size)
      try check(bytes, in: folder)
      bytes = whole
      // The headers lie at both ends, so that is where damage matters.
      for _ in 0..<8 {
        let distance = Int(random.next() % 4096) % whole.count
        bytes[random.next() % 2 == 0 ? distance : whole.count - 1 - distance] = UInt8(
          truncatingIfNeeded: random.next())
      }
      try check(bytes, in: folder)
    }
  }

  @Test("with huge counts in its headers is read in no time")
  func ignoresHugeTables() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("hostile")
    // Sparse: it takes no room.
    _ = FileManager.default.createFile(atPath: path, contents: Self.hugeHeader)
    #expect(truncate(path, 1 << 40) == 0)
    let file = try #require(ELFFile(path: path))
    #expect(file.buildID == [])
    #expect(file.interpreter == nil)
    let names = Set(file.sections.map(\.name))
    #expect(names == [""])
    #expect(SymbolTable(of: file, .functions).symbols(at: [1]) == [:])
  }

  /// 65,535 segments and sections, all of the whole file.
  private static let hugeHeader: Data = {
    var header = Data([0x7f, 0x45, 0x4c, 0x46, 2, 1] + [UInt8](repeating: 0, count: 58))
    func put<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
      withUnsafeBytes(of: value.littleEndian) { header.replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
    put(UInt64(64), at: 32)
    put(UInt64(64 + 56 * 65_535), at: 40)
    for (offset, value) in [(54, 56), (56, 65_535), (58, 64), (60, 65_535), (62, 1)] {
      put(UInt16(value), at: offset)
    }
    func note() -> Data {
      var segment = Data(count: 56)
      segment[0] = 4
      segment.replaceSubrange(32..<40, with: withUnsafeBytes(of: UInt64(1 << 20)) { Data($0) })
      return segment
    }
    func symbols() -> Data {
      var section = Data(count: 64)
      section[4] = 2
      section.replaceSubrange(32..<40, with: withUnsafeBytes(of: UInt64(1 << 39)) { Data($0) })
      return section
    }
    let (segment, section) = (note(), symbols())
    for _ in 0..<65_535 { header += segment }
    for _ in 0..<65_535 { header += section }
    return header
  }()

  /// Reads all fields, and expects only that this ends.
  private func check(_ bytes: Data, in folder: TemporaryFolder) throws {
    let path = try folder.write(bytes, as: "damaged")
    guard let file = ELFFile(path: path) else {
      #expect(bytes.count < 64 || !bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]))
      return
    }
    #expect(file.buildID.count <= bytes.count)
    #expect((file.interpreter?.utf8.count ?? 0) <= bytes.count * 3)
    let symbols = SymbolTable(of: file, .functions).symbols(at: [0x2000, 0])
    #expect((symbols[0x2000]?.utf8.count ?? 0) <= bytes.count * 3)
  }
}
