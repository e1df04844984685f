import Foundation
import TestSupport
import Testing

/// Programs that were built with a sanitizer, whose runtime replaces much of the C library.
struct SanitizedProgramTests {
  static let source = """
    final class Node { var next: Node? }
    @inline(never) func makeCycle() {
      let node = Node()
      node.next = node
    }
    makeCycle()
    print("done")
    """

  @Test(.enabled(if: Sanitizer.thread.isUsable, "programs with ThreadSanitizer do not link or run"))
  func statusAndOutputAreUnchangedWithThreadSanitizer() throws {
    try expectUnchangedStatusAndOutput(.thread)
  }

  @Test(.enabled(if: Sanitizer.address.isUsable, "programs with AddressSanitizer do not link or run"))
  func statusAndOutputAreUnchangedWithAddressSanitizer() throws {
    try expectUnchangedStatusAndOutput(.address)
  }

  private func expectUnchangedStatusAndOutput(_ sanitizer: Sanitizer) throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    let tool = try Script("echo report")
    try Self.source.write(toFile: folder.path("main.swift"), atomically: false, encoding: .utf8)
    try Compiler.compile([folder.path("main.swift")], ["-sanitize=\(sanitizer.rawValue)"], to: program)
    // Its own check for leaks ends the process before.
    let environment = ["ASAN_OPTIONS": "detect_leaks=0"]
    let plain = try runProgram(program, environment: environment)
    let run = try runPreloaded(program, options: "tool=\(tool.path)", environment: environment)
    #expect(run.status == .exited(0))
    #expect(run.standardOutput == plain.standardOutput)
    #expect(plain.standardError == "")
    #expect(run.standardError == "report\n")
  }
}
