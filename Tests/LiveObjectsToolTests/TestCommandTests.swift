#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension ToolSampleTests {
    @Suite("liveobjects test")
    struct TestCommandTests {
      private let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      @Test("reports what the tests of both libraries left behind, and fails")
      func tellsWhatIsLeft() throws {
        let result = try ToolSample.test()
        #expect(result.status == .exited(1))
        #expect(result.standardOutput.contains("printed by a test"))
        #expect(result.standardError.contains("Leaky.handler → closure #1 in Leaky.start() → self"))
      }

      @Test("leaves what swift test prints as it is")
      func leavesOutputAlone() throws {
        let plain = try ToolSample.run(
          Compiler.find("swift"), ["test", "--skip-build"] + ToolSample.scratchPath)
        let watched = try ToolSample.test(["--fail-on", "none", "--skip-build"])
        #expect(watched.status == .exited(0))
        #expect(lines(of: watched).filter { !isAboutCompanions($0) } == lines(of: plain))
      }

      @Test("fails on nothing if it was asked to", arguments: [[], ["--parallel"]])
      func failsOnNothing(arguments: [String]) throws {
        let report = try json(["--fail-on", "none"], arguments, status: 0)
        #expect(report.leaky == 2)
        #expect(report.isComplete)
      }

      @Test("counts every process of a parallel run")
      func mergesParallelRuns() throws {
        let report = try json(["--fail-on", "none"], ["--parallel"], status: 0)
        #expect(report.processes == 6)
      }

      @Test("is silent about tests that leave nothing behind")
      func isSilent() throws {
        #expect(try json([], ["--filter", "leavesNothing|testLeavesNothing"], status: 0).leaky == 0)
      }

      @Test("does as swift test does where no test is selected", arguments: [[], ["--parallel"]])
      func selectsNothing(arguments: [String]) throws {
        let result = try ToolSample.test(["--filter", "noSuchTest"] + arguments)
        #expect(result.status == .exited(0))
        #expect(!result.standardError.contains("watched"))
        #expect(result.standardError.contains("LiveObjects: no test ran in "))
        #expect(!result.standardError.contains("left behind"))
      }

      @Test("finds the package from anywhere, and knows release builds")
      func takesAPackagePath() throws {
        let result = try runProgram(
          BuiltProducts.tool,
          ["test", "--text", "-", "--package-path", ToolSample.path, "-c", "release"]
            + ToolSample.scratchPath)
        #expect(result.status == .exited(1))
        #expect(result.standardOutput.contains("retain cycle: Sample.Leaky"))
      }

      @Test("leaves xunit files as they are")
      func leavesXUnitAlone() throws {
        let path = folder.path("xunit.xml")
        let result = try ToolSample.test(["--fail-on", "none", "--parallel", "--xunit-output", path])
        #expect(result.status == .exited(0))
        #expect(try folder.text(of: "xunit.xml").contains("testLeavesNothing"))
      }

      @Test("keeps captures that give the same report again")
      func keepsCaptures() throws {
        _ = try ToolSample.test([
          "--capture", folder.path("all"), "--json", folder.path("json"), "--parallel",
        ])
        let again = try runProgram(BuiltProducts.tool, ["report", "--json", "-", folder.path("all")])
        #expect(try again.standardOutput == folder.text(of: "json"))
      }

      @Test("leaves no files behind, whatever the temporary folder is called", arguments: ["a b:c", "\"x\""])
      func leavesNoFiles(name: String) throws {
        let spool = folder.path(name)
        try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
        let result = try ToolSample.test(environment: ["TMPDIR": spool])
        #expect(result.status == .exited(1))
        #expect(result.standardError.contains("Sample.Leaky"))
        #expect(
          !(try FileManager.default.contentsOfDirectory(atPath: spool)).contains { $0.hasPrefix("liveo") })
      }

      @Test(
        "only passes on what runs no tests", arguments: [["list"], ["-c", "debug", "list"], ["--version"]])
      func passesInquiriesOn(arguments: [String]) throws {
        let plain = try ToolSample.run(Compiler.find("swift"), ["test"] + arguments + ToolSample.scratchPath)
        let result = try ToolSample.test(arguments)
        #expect(result.status == plain.status)
        #expect(result.standardOutput == plain.standardOutput)
        #expect(!result.standardError.contains("watched"))
      }

      @Test("explains itself", arguments: ["-h", "--help"])
      func explainsItself(option: String) throws {
        let result = try runProgram(BuiltProducts.tool, ["test", option])
        #expect(result.status == .exited(0))
        #expect(result.standardOutput.contains("USAGE: liveobjects test"))
      }

      @Test("refuses options that the preload library would not understand")
      func refusesWrongOptions() throws {
        let result = try ToolSample.test(["--options", "depht=3", "--version"])
        #expect(result.status == .exited(2))
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.hasPrefix("liveobjects: --options: there is no option 'depht'; "))
      }

      @Test("says which options it decides itself")
      func saysWhatItOverrides() throws {
        let result = try ToolSample.test(["--options", "format=json:depth=3", "list"])
        #expect(result.standardError.contains("no effect under test: format; use"))
      }

      /// Without digits, which are times and process ids, and in no order: Swift Testing has none.
      private func lines(of run: ProgramRun) -> [String] {
        run.standardOutput.filter { !$0.isNumber }.components(separatedBy: "\n").sorted()
      }

      /// Where they were not built.
      private func isAboutCompanions(_ line: String) -> Bool {
        line.hasPrefix("LiveObjects: leaks are reported for the process, not for each test of ")
      }

      private func json(
        _ options: [String], _ arguments: [String], status: Int32
      ) throws -> (leaky: Int, isComplete: Bool, processes: Int) {
        let result = try ToolSample.test(options + ["--json", folder.path("json")] + arguments)
        #expect(result.status == .exited(status))
        let object = try JSONSerialization.jsonObject(with: Data(folder.bytes(of: "json")))
        let report = try #require(object as? [String: Any])
        let findings = report["findings"] as? [[String: Any]] ?? []
        let leaky = findings.filter { $0["type"] as? String == "Sample.Leaky" }
        let tracking = report["tracking"] as? [String: Any]
        return (
          leaky.reduce(0) { $0 + ($1["instances"] as? Int ?? 0) }, tracking?["complete"] as? Bool ?? false,
          (report["processes"] as? [Any])?.count ?? 0
        )
      }
    }
  }

  /// `swift test` takes turns in one package anyway.
  @Suite(.serialized) struct ToolSampleTests {}
#endif
