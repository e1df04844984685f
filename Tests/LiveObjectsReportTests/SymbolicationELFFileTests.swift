import Foundation
import TestSupport
import Testing

@testable import LiveObjectsReport

@Suite("An ELF file")
struct SymbolicationELFFileTests {
  @Test("tells build id, loader and whether it holds Swift")
  func tellsWhatItIs() throws {
    let own = try #require(ELFFile(path: "/proc/self/exe"))
    #expect(own.buildID.count == 20)
    #expect(own.interpreter?.contains("ld-linux") == true)
    #expect(own.holdsSwift)

    let shell = try #require(ELFFile(path: "/bin/sh"))
    #expect(!shell.holdsSwift)
    #expect(ELFFile(path: #filePath) == nil)
    #expect(ELFFile(path: "/nowhere") == nil)
  }

  @Test("that is cut off or damaged is read as far as it goes")
  func survivesDamage() throws {
    let folder = try TemporaryFolder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: "/bin/true"))
    var random = FixedRandom(state: 7)
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

  /// Reads all there is to read. Nothing can be said about the values, but that they come.
  private func check(_ bytes: Data, in folder: TemporaryFolder) throws {
    let path = folder.path("damaged")
    try bytes.write(to: URL(fileURLWithPath: path))
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

/// The same numbers in every run.
private struct FixedRandom {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
