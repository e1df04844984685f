import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

/// Methods like tests.
final class Declared {
  static let firstLine = #line
  @inline(never) func method() { print("1") }
  @inline(never) func throwing() throws { print("22") }
  @inline(never) func asynchronous() async throws { print("333") }
  @inline(never) func taking(_ value: Int) { print(value) }
}

@Suite("Symbolication finds where a method is declared")
struct DeclarationTests {
  private let symbolicator = BinarySymbolicator()

  private func entry(of methods: String...) -> Frame? {
    symbolicator.entry(of: methods.map { "LiveObjectsSymbolicationTests.\($0)" }, in: 0, of: ownCapture)
  }

  @Test("plain, throwing and asynchronous", arguments: ["method", "throwing", "asynchronous"])
  func findsDeclarations(method: String) throws {
    let start = try #require(entry(of: "Declared.\(method)"))
    let place = try #require(symbolicator.declaration(at: start, of: ownCapture))
    let lines = ["method": 1, "throwing": 2, "asynchronous": 3]
    #expect(place.line == Declared.firstLine + (lines[method] ?? 0))
    #expect(place.file == #filePath)
  }

  @Test("also of modules that no stack trace leads through")
  func findsSourcesOfModules() throws {
    let files = symbolicator.sources(
      ofModules: ["LiveObjectsSymbolication", "LiveObjectsAnalysis", "Missing"], in: ownCapture)
    #expect(files.keys.sorted() == ["LiveObjectsAnalysis", "LiveObjectsSymbolication"])
    for (module, source) in files {
      guard case .file(let file) = source else {
        Issue.record("\(module): \(source)")
        continue
      }
      #expect(file.contains("/Sources/\(module)/"))
    }
  }

  /// The first function that has the module in its name is the other one's.
  @Test("of a module that another one extends")
  func findsNoFileOfAnExtension() throws {
    let folder = try TemporaryFolder()
    let library = folder.path("libBase.a")
    let base = try folder.source(
      "public final class Item { public init() {}; public func run() { print(1) } }", named: "Base.swift")
    try Compiler.run(
      "swiftc",
      ["-g", "-parse-as-library", "-emit-library", "-static", "-module-name", "Base", base, "-o", library]
        + ["-emit-module", "-emit-module-path", folder.path("Base.swiftmodule")])
    let program = folder.path("App")
    let extending = try folder.source(
      "import Base; extension Item { public func stop() { print(2) } }", named: "Extension.swift")
    let main = try folder.source("import Base; Item().run()", named: "main.swift")
    try Compiler.run("swiftc", ["-g", "-I", folder.path(""), extending, main, library, "-o", program])
    var capture = ownCapture
    capture.images[0].path = program
    capture.images[0].buildID = ELFFile(path: program)?.buildID ?? []
    let sources = BinarySymbolicator().sources(ofModules: ["Base"], in: capture)
    #expect(sources == ["Base": .file(base)])
  }

  @Test("of the first name that exists")
  func takesTheFirst() {
    #expect(entry(of: "Missing.method", "Declared.method") == entry(of: "Declared.method"))
  }

  @Test("and finds none of a method that cannot be a test")
  func findsNoOthers() {
    #expect(entry(of: "Declared.taking") == nil)
    #expect(entry(of: "Declared.missing") == nil)
  }
}
