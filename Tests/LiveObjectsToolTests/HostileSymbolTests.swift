import CaptureFixtures
import Foundation
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsReport
@testable import LiveObjectsSymbolication

/// Symbols of an untrusted file.
@Suite("liveobjects report, given a symbol whose name has no end,")
struct HostileSymbolTests {
  /// One before the symbol in the order of the alphabet, and one after it.
  private static let harmless = ["$s4Demo4load5countySi_tF", "$sSi4DemoE6doubleSiyF"]

  /// A tuple of dictionaries, each from the one before to itself: a name twice as long for each.
  private static func bomb(_ doublings: Int) -> String {
    let repeated = (0..<doublings).map { "SDyA2\(UnicodeScalar(UInt8(65 + $0)))G" }
    return "$sSDySiSiG_" + repeated.joined() + "tD"
  }

  @Test("shows the symbol as it is, and names all others", arguments: [12, 25])
  func showsTheSymbol(doublings: Int) throws {
    let symbols = [Self.bomb(doublings)] + Self.harmless
    let folder = try TemporaryFolder()
    let library = try self.library(of: symbols, in: folder)
    let file = try #require(ELFFile(path: library))
    let addresses = Dictionary(
      SymbolTable(of: file, .functions).all.map { ($0.name, $0.address) },
      uniquingKeysWith: { first, _ in first })
    var builder = CaptureBuilder(executable: library)
    for symbol in symbols {
      let trace = builder.stackTrace([try #require(addresses[symbol]) + 1])
      builder.objects(of: builder.type("Demo.Loader\(addresses[symbol]!)"), stackTrace: trace)
    }
    let capture = try folder.write(builder.bytes, as: "capture")
    let result = try runProgram(BuiltProducts.tool, ["report", capture, "--json", "-"])
    #expect(result.status == .exited(0))
    #expect(result.standardOutput.contains("\"load(count:)\""))
    #expect(result.standardOutput.contains("\"Int.double()\""))
    #expect(result.standardOutput.contains(symbols[0]))
    #expect(result.standardOutput.utf8.count < 100_000)
  }

  /// With the build id of the builder's images.
  private func library(of symbols: [String], in folder: TemporaryFolder) throws -> String {
    let functions = symbols.enumerated().map { number, symbol in
      "int f\(number)(int x) __asm__(\"\(symbol)\"); int f\(number)(int x) { return x + \(number); }\n"
    }
    let source = try folder.source(functions.joined())
    let library = folder.path("libsymbols.so")
    try Compiler.run(
      "clang",
      ["-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=0x01020304", source, "-o", library])
    return library
  }
}
