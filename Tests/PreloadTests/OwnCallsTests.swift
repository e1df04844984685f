import TestSupport
import Testing

/// The dynamic linker finds a function of the program's before the C library's of the same name.
struct OwnCallsTests {
  @Test func functionsOfTheProgramAreNotCalled() throws {
    let names = ["access", "poll", "readlink", "realpath", "tee", "stpcpy", "strspn", "getpriority", "fcntl"]
    let functions = names.map { "@_cdecl(\"\($0)\") public func own_\($0)() { abort() }" }
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try Compiler.compile(
      [
        try folder.source(
          "import Glibc\n" + functions.joined(separator: "\n") + "\nprint(\"done\")", named: "main.swift")
      ], [], to: program)
    let plain = try runProgram(program, [])
    let run = try runPreloaded(program, options: "verbosity=1", environment: ["TMPDIR": folder.path])
    #expect(plain.status == .exited(0))
    #expect(run.status == plain.status)
    #expect(run.standardOutput == "done\n")
    #expect(run.standardError.contains("LiveObjects: no leaks in program"))
  }
}
