import Foundation
import TestSupport

/// A Swift Testing that calls the runtime under other names, so that nobody sees where its test cases begin and end.
///
/// The toolchain's own, in which the names of two imported functions have another beginning, as long as theirs; a
/// second library leads from these to the runtime. A test binary can be made to call the entry point likewise.
struct SilentTestingLibrary {
  private static let localValues = ["swift_task_localValuePush", "swift_task_localValuePop"]
  private static let entryPoint =
    "$s7Testing19__swiftPMEntryPoint7passings5NeverOAA25__CommandLineArguments_v0VSg_tYaF"

  private let folder: TemporaryFolder
  private let original: String
  private let hidesEntryPoint: Bool

  init(hidesEntryPoint: Bool = false) throws {
    folder = try TemporaryFolder()
    original = try Self.loadedLibrary()
    self.hidesEntryPoint = hidesEntryPoint
    try rename(Self.localValues, in: original, to: "libTesting.so")
    try build()
  }

  /// Has a test binary load it.
  var environment: [String: String] {
    let toolchain = (original as NSString).deletingLastPathComponent
    return ["LD_PRELOAD": folder.path("librenamed.so"), "LD_LIBRARY_PATH": "\(folder.path):\(toolchain)"]
  }

  /// A test binary that runs with it.
  func program(_ binary: String) throws -> String {
    guard hidesEntryPoint else { return binary }
    try rename([Self.entryPoint, Self.entryPoint + "Tu"], in: binary, to: "program")
    return folder.path("program")
  }

  /// The one that these tests themselves run with.
  private static func loadedLibrary() throws -> String {
    let maps = String(decoding: try readToEnd("/proc/self/maps"), as: UTF8.self)
    let line = maps.split(separator: "\n").first { $0.hasSuffix("/libTesting.so") }
    guard let path = line?.split(separator: " ", maxSplits: 5).last else { throw CocoaError(.fileNoSuchFile) }
    return path.trimmingCharacters(in: .whitespaces)
  }

  /// A file of the kernel's has no size, so that it would be read in part.
  private static func readToEnd(_ path: String) throws -> Data {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    return try file.readToEnd() ?? Data()
  }

  private func rename(_ symbols: [String], in file: String, to copy: String) throws {
    var contents = try Data(contentsOf: URL(fileURLWithPath: file))
    for symbol in symbols {
      let name = Data("\0\(symbol)\0".utf8)
      let other = Data("\0\(Self.renamed(symbol))\0".utf8)
      while let range = contents.range(of: name) { contents.replaceSubrange(range, with: other) }
    }
    try folder.writeExecutable(contents, to: copy)
  }

  private static func renamed(_ symbol: String) -> String {
    symbol.replacing("swift", with: "other", maxReplacements: 1)
  }

  /// Each function under its other name, and the entry point's asynchronous function pointer: where the code is from
  /// there, and enough bytes for its context.
  private func build() throws {
    let functions = (Self.localValues + [Self.entryPoint]).map { name in
      """
      .globl "\(Self.renamed(name))"
      .type "\(Self.renamed(name))", %function
      "\(Self.renamed(name))": JUMP("\(name)")
      """
    }
    let source = """
      #if defined(__x86_64__)
      #define JUMP(function) jmp function@PLT
      #else
      #define JUMP(function) b function
      #endif
      .text
      \(functions.joined(separator: "\n"))
      .Lentry_point: JUMP("\(Self.entryPoint)")
      .data
      .p2align 3
      .globl "\(Self.renamed(Self.entryPoint))Tu"
      .type "\(Self.renamed(Self.entryPoint))Tu", %object
      .size "\(Self.renamed(Self.entryPoint))Tu", 8
      "\(Self.renamed(Self.entryPoint))Tu": .long .Lentry_point - .
      .long 4096
      .section .note.GNU-stack, "", %progbits

      """
    let file = folder.path("renamed.S")
    try Data(source.utf8).write(to: URL(fileURLWithPath: file))
    try Compiler.run("clang", ["-shared", "-fPIC", file, "-o", folder.path("librenamed.so")])
  }
}
