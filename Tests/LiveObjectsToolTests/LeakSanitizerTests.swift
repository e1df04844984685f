#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite("AddressSanitizer's leak check")
  struct LeakSanitizerTests {
    @Test(
      "is disabled unless the user's options choose; other options are kept",
      arguments: [
        (nil, nil, "detect_leaks=0"), ("", nil, "detect_leaks=0"),
        ("symbolize=0", nil, "symbolize=0:detect_leaks=0"),
        ("detect_leaks=1:symbolize=0", nil, "detect_leaks=1:symbolize=0"),
        ("symbolize=0 detect_leaks=0", nil, "symbolize=0 detect_leaks=0"),
        ("symbolize=0", "detect_leaks=1", "symbolize=0"),
      ] as [(String?, String?, String)])
    func keepsTheUsersOptions(options: String?, leakOptions: String?, expected: String) throws {
      let result = try runProgram(
        BuiltProducts.tool, ["run", "--", "sh", "-c", "echo $ASAN_OPTIONS"],
        environment: ["ASAN_OPTIONS": options, "LSAN_OPTIONS": leakOptions])
      #expect(result.standardOutput == expected + "\n")
    }

    @Test(
      "does not end a program before its report, which says so",
      .enabled(if: Sanitizer.address.isUsable, "programs with AddressSanitizer do not link or run"))
    func leavesTheReport() throws {
      let folder = try TemporaryFolder()
      let program = try build(in: folder)
      let result = try runProgram(
        BuiltProducts.tool, ["run", "--", program], environment: ["ASAN_OPTIONS": nil, "LSAN_OPTIONS": nil])
      #expect(result.status == .exited(1))
      #expect(result.standardOutput == "done\n")
      #expect(result.standardError.contains("liveobjects: AddressSanitizer's own leak check was off"))
      #expect(result.standardError.contains(". retain cycle: Leaking.Node  1 instance, 2 objects"))
      #expect(result.standardError.contains("over-retained by 1: Leaking.Single  1 instance"))

      let chosen = try runProgram(
        BuiltProducts.tool, ["run", "--", program], environment: ["ASAN_OPTIONS": "detect_leaks=1"])
      #expect(chosen.standardError.contains("LeakSanitizer: detected memory leaks"))
      #expect(chosen.standardError.contains("liveobjects: ASAN_OPTIONS has detect_leaks=1"))
    }

    private func build(in folder: TemporaryFolder) throws -> String {
      let source = """
        final class Node { var other: Node? }
        final class Single {}
        func cycle() { let a = Node(), b = Node(); a.other = b; b.other = a }
        func retain() { _ = Unmanaged.passRetained(Single()) }
        cycle()
        retain()
        print("done")
        """
      let program = folder.path("leaking")
      try Compiler.run(
        "swiftc",
        [
          "-g", "-sanitize=address", "-module-name", "Leaking", "-o", program,
          folder.source(source, named: "main.swift"),
        ])
      return program
    }
  }
#endif
