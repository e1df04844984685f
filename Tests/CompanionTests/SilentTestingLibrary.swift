import Foundation
import TestSupport

/// A copy of Swift Testing that calls the runtime by other names, so that the companion cannot see its cases end.
///
/// It is the toolchain's library, in which imported functions are renamed, with names of the same length; a second
/// library forwards the new names to the runtime.
struct SilentTestingLibrary {
  private static let localValues = ["swift_task_localValuePush", "swift_task_localValuePop"]
  /// Asynchronous; called by Swift Testing 6.0 alone.
  private static let withValue =
    "$ss9TaskLocalC9withValue_9operation9isolation4file4lineqd__x_qd__yYaKXEScA_pSgYiSSSutYaKlF"

  private let folder: TemporaryFolder
  private let original: String

  init() throws {
    folder = try TemporaryFolder()
    original = try Self.loadedLibrary()
    try rename(Self.localValues + [Self.withValue, Self.withValue + "Tu"], in: original, to: "libTesting.so")
    try build()
  }

  /// The environment that makes a test binary load it.
  var environment: [String: String] {
    let toolchain = (original as NSString).deletingLastPathComponent
    return ["LD_PRELOAD": folder.path("librenamed.so"), "LD_LIBRARY_PATH": "\(folder.path):\(toolchain)"]
  }

  /// The library that these tests themselves use.
  private static func loadedLibrary() throws -> String {
    let maps = String(decoding: try readToEnd("/proc/self/maps"), as: UTF8.self)
    let line = maps.split(separator: "\n").first { $0.hasSuffix("/libTesting.so") }
    guard let path = line?.split(separator: " ", maxSplits: 5).last else { throw CocoaError(.fileNoSuchFile) }
    return path.trimmingCharacters(in: .whitespaces)
  }

  /// A file in /proc has no size, so `Data(contentsOf:)` might read only a part.
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
    symbol.hasSuffix("Tu") ? renamed(String(symbol.dropLast(2))) + "Tu" : symbol.dropLast() + "_"
  }

  /// Each function by its new name.
  private func build() throws {
    let source = """
      #if defined(__x86_64__)
      #define JUMP(function) jmp function@PLT
      #else
      #define JUMP(function) b function
      #endif
      \((Self.localValues + [Self.withValue]).map(Self.function).joined(separator: "\n"))
      \(Self.asyncFunctionPointer(Self.withValue))
      .section .note.GNU-stack, "", %progbits

      """
    let file = try folder.source(source, named: "renamed.S")
    try Compiler.run("clang", ["-shared", "-fPIC", file, "-o", folder.path("librenamed.so")])
  }

  private static func function(_ name: String) -> String {
    """
    .text
    .globl "\(renamed(name))"
    .type "\(renamed(name))", %function
    "\(renamed(name))": JUMP("\(name)")
    """
  }

  /// Where the code is from there, and enough bytes for its context.
  private static func asyncFunctionPointer(_ name: String) -> String {
    """
    .text
    ".L\(name)": JUMP("\(name)")
    .data
    .p2align 3
    .globl "\(renamed(name))Tu"
    .type "\(renamed(name))Tu", %object
    .size "\(renamed(name))Tu", 8
    "\(renamed(name))Tu": .long ".L\(name)" - .
    .long 4096
    """
  }
}
