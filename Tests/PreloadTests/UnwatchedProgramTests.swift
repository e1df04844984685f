import TestSupport
import Testing

/// Programs that are not watched behave as without the library.
struct UnwatchedProgramTests {
  /// An option that a watched program would complain of.
  static let options = "nonsense=1"

  @Test(arguments: [
    ["/bin/true"], ["/bin/false"], ["/bin/echo", "a"], ["/bin/sh", "-c", "echo a; echo b >&2; exit 7"],
    ["/bin/sh", "-c", "kill -9 $$"], ["/usr/bin/env", "python3", "-c", "import sys; print(1); sys.exit(3)"],
  ])
  func withoutSwiftRuntimeIsUnchanged(command: [String]) throws {
    let arguments = Array(command.dropFirst())
    let plain = try runProgram(command[0], arguments)
    let preloaded = try runPreloaded(command[0], arguments, options: Self.options)
    #expect(preloaded.visible == plain.visible)
  }

  @Test func compilerIsUnchanged() throws {
    let arguments = ["swiftc", "--version"]
    let plain = try runProgram("/usr/bin/env", arguments)
    let preloaded = try runPreloaded("/usr/bin/env", arguments, options: Self.options)
    #expect(preloaded.visible == plain.visible)
  }

  @Test func ownToolIsUnchanged() throws {
    let plain = try runProgram(BuiltProducts.tool, ["--help"])
    let preloaded = try runPreloaded(BuiltProducts.tool, ["--help"], options: Self.options)
    #expect(preloaded.visible == plain.visible)
  }

  @Test(arguments: ["--list-tests", "-l", "--dump-tests-json", "list"])
  func testBinaryThatOnlyListsTestsIsUnchanged(argument: String) throws {
    let folder = try TemporaryFolder()
    try copyExecutable(BuiltProducts.executable("Exiter"), to: folder.path("Some.xctest"))
    // Not a real test binary: only its name matters. Exiter traps for an unknown argument.
    let run = try runPreloaded(folder.path("Some.xctest"), [argument], options: Self.options)
    #expect(messages(run).isEmpty)
  }
}
