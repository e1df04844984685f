#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension ToolSampleTests {
    @Suite("a baseline")
    struct BaselineTests {
      private let folder: TemporaryFolder
      private var file: String { folder.path("baseline") }

      init() throws { folder = try TemporaryFolder() }

      private func test(_ options: [String], _ environment: [String: String?] = [:]) throws -> ProgramRun {
        try ToolSample.test(options, environment: environment)
      }

      private var lines: [String] {
        get throws {
          try folder.text(of: "baseline").split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("#")
          }
        }
      }

      @Test("makes known leaks fail nothing, and new ones fail their tests alone")
      func failsOnNewLeaksOnly() throws {
        #expect(try test([]).status == .exited(1))
        let writing = try ToolSample.run(
          BuiltProducts.tool, ["baseline", "--write-baseline", file] + ToolSample.scratchPath)
        #expect(writing.status == .exited(0), "\(writing.standardError)")
        #expect(!writing.standardOutput.contains("error: "))
        #expect(try lines.count == 2)
        let known = try test(["--baseline", file])
        #expect(known.status == .exited(0))
        #expect(!known.standardOutput.contains("error: "))
        let new = try test(["--baseline", file], ["SAMPLE_LEAKS_MORE": "1"])
        #expect(new.status == .exited(1))
        #expect(new.standardOutput.contains("ObserverTests.testPrints : "))
        #expect(!new.standardOutput.contains("ObserverTests.testLeaves : "))
      }

      @Test("loses an entry whose leak was fixed, where that is asked for")
      func losesStaleEntries() throws {
        #expect(try test(["--write-baseline", file]).status == .exited(0))
        let entries = try lines
        let fixed: [String: String?] = ["SAMPLE_IS_FIXED": "1"]
        let json = folder.path("json")
        #expect(try test(["--baseline", file, "--json", json], fixed).status == .exited(0))
        let stale = entries.filter { $0.contains("ObserverTests/testLeaves") }
        #expect(stale.count == 1)
        #expect(try lines == entries)
        #expect(try test(["--baseline", file, "--prune-baseline"], fixed).status == .exited(0))
        #expect(try lines == entries.filter { !stale.contains($0) })
      }

      @Test("keeps the entries of tests that do not run")
      func keepsOtherEntries() throws {
        _ = try test(["--write-baseline", file])
        let entries = try lines
        _ = try test(["--write-baseline", file, "--filter", "testLeaves$"])
        #expect(try lines == entries)
      }

      @Test("and suppressions are checked before the tests run", arguments: ["--baseline", "--suppressions"])
      func rejectsMalformedLines(option: String) throws {
        try "# ok\nnonsense\n".write(toFile: file, atomically: true, encoding: .utf8)
        let result = try test([option, file])
        #expect(result.status == .exited(2))
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.hasPrefix("liveobjects: \(file):2: expected "))
      }

      @Test(
        "and suppressions of any size harm neither tool nor tests",
        arguments: ["--baseline", "--suppressions"])
      func rejectsEndlessFiles(option: String) throws {
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        try #require(truncate(file, 1 << 40) == 0)
        let result = try test([option, file])
        #expect(result.status == .exited(2))
        #expect(result.standardError == "liveobjects: \(file) has more than 64 MB\n")
        let key = option.dropFirst(2)
        let tests = try ToolSample.run(
          Compiler.find("swift"), ["test", "--filter", "testPrints"] + ToolSample.scratchPath,
          environment: [
            "LD_PRELOAD": BuiltProducts.preloadLibrary,
            "LIVEOBJECTS_OPTIONS": "output=\(folder.path("report")):\(key)='\(file)'",
          ])
        #expect(tests.status == .exited(0), "\(tests.standardError)")
      }

      @Test("suppressions make tests pass, also from the options", arguments: [true, false])
      func suppressesFindings(asOption: Bool) throws {
        try "leak:Sample.Leaky\n".write(toFile: file, atomically: true, encoding: .utf8)
        let option = asOption ? ["--suppressions", file] : ["--options", "suppressions='\(file)'"]
        let result = try test(option)
        #expect(result.status == .exited(0))
        #expect(!result.standardOutput.contains("error: "))
      }
    }
  }
#endif
