#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension ToolSampleTests {
    @Suite("liveobjects test")
    struct TestCommandTests {
      private let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      @Test("reports leaks of tests of both libraries, and fails")
      func reportsLeaks() throws {
        let result = try ToolSample.test()
        #expect(result.status == .exited(1))
        #expect(result.standardOutput.contains("printed by a test"))
        #expect(result.standardError.contains("Leaky.handler → closure #1 in Leaky.start() → self"))
      }

      @Test("does not change the output of swift test")
      func keepsOutput() throws {
        let plain = try ToolSample.run(
          Compiler.find("swift"), ["test", "--skip-build"] + ToolSample.scratchPath)
        let watched = try ToolSample.test(["--fail-on", "none", "--skip-build"])
        #expect(watched.status == .exited(0))
        #expect(lines(of: watched).filter { !isAboutCompanions($0) } == lines(of: plain))
      }

      @Test("does not fail with --fail-on none", arguments: [[], ["--parallel"]])
      func doesNotFail(arguments: [String]) throws {
        let report = try json(["--fail-on", "none"], arguments, status: 0)
        #expect(report.leaky == 2)
        #expect(report.isComplete)
      }

      @Test(
        "evaluates each test at its end, also with --fail-on none",
        arguments: [("leaks", 1), ("none", 0)] as [(String, Int32)])
      func evaluatesEachTest(failOn: String, status: Int32) throws {
        let result = try ToolSample.test(
          ["--fail-on", failOn, "--filter", "FirstTests"], environment: ["SAMPLE_ENDS_CLEAN": "1"])
        #expect(result.status == .exited(status))
        #expect(
          result.standardError.contains(
            "LiveObjects: no leaks remain in 2 tests, but 1 test had left one that was released later\n"))
      }

      @Test("takes options of swift test behind --, too")
      func takesSeparatedArguments() throws {
        let result = try ToolSample.test([
          "--fail-on", "none", "--skip-build", "--", "--filter", "testLeavesNothing",
        ])
        #expect(result.status == .exited(0), "\(result.standardError)")
        #expect(result.standardError.contains("LiveObjects: no leaks in 1 test"))
      }

      @Test("explains a wrong option on lines of their own")
      func explainsWrongOptions() throws {
        let result = try ToolSample.test(["--fail-on", "lekas"])
        #expect(result.status == .exited(2))
        #expect(result.standardError.contains("\nHelp: "))
        #expect(!result.standardError.contains("\\u{a}"))
      }

      @Test("counts every process of a parallel run")
      func mergesParallelRuns() throws {
        let report = try json(["--fail-on", "none"], ["--parallel"], status: 0)
        #expect(report.processes == 6)
      }

      @Test("reports nothing about clean tests")
      func isSilent() throws {
        #expect(try json([], ["--filter", "leavesNothing|testLeavesNothing"], status: 0).leaky == 0)
      }

      @Test("behaves like swift test if no test is selected", arguments: [[], ["--parallel"]])
      func selectsNothing(arguments: [String]) throws {
        let result = try ToolSample.test(["--filter", "noSuchTest"] + arguments)
        #expect(result.status == .exited(0))
        #expect(!result.standardError.contains("watched"))
        #expect(result.standardError.contains("LiveObjects: no test ran in "))
        #expect(!result.standardError.contains("left behind"))
      }

      @Test("takes a package path, and release builds")
      func takesAPackagePath() throws {
        let result = try runProgram(
          BuiltProducts.tool,
          ["test", "--text", "-", "--package-path", ToolSample.path, "-c", "release"]
            + ToolSample.scratchPath)
        #expect(result.status == .exited(1))
        #expect(result.standardOutput.contains("retain cycle: Sample.Leaky"))
      }

      @Test("does not change xUnit files")
      func keepsXUnitFiles() throws {
        let path = folder.path("xunit.xml")
        let result = try ToolSample.test(["--fail-on", "none", "--parallel", "--xunit-output", path])
        #expect(result.status == .exited(0))
        #expect(try folder.text(of: "xunit.xml").contains("testLeavesNothing"))
      }

      @Test("keeps captures that reproduce the report")
      func keepsCaptures() throws {
        _ = try ToolSample.test([
          "--capture", folder.path("all"), "--json", folder.path("json"), "--parallel",
        ])
        let again = try ToolSample.run(BuiltProducts.tool, ["report", "--json", "-", folder.path("all")])
        #expect(try again.standardOutput.withoutCommand == folder.text(of: "json").withoutCommand)
      }

      @Test("leaves no files behind, whatever TMPDIR is", arguments: ["a b:c", "\"x\""])
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
        "forwards commands that run no tests", arguments: [["list"], ["-c", "debug", "list"], ["--version"]])
      func forwardsOtherCommands(arguments: [String]) throws {
        let plain = try ToolSample.run(Compiler.find("swift"), ["test"] + arguments + ToolSample.scratchPath)
        let result = try ToolSample.test(arguments)
        #expect(result.status == plain.status)
        #expect(result.standardOutput == plain.standardOutput)
        #expect(!result.standardError.contains("watched"))
      }

      @Test("prints help", arguments: ["-h", "--help"])
      func printsHelp(option: String) throws {
        let result = try runProgram(BuiltProducts.tool, ["test", option])
        #expect(result.status == .exited(0))
        #expect(result.standardOutput.contains("USAGE: liveobjects test"))
      }

      @Test("reports which options it overrides")
      func reportsOverriddenOptions() throws {
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
        let report = try JSONReport(folder.bytes(of: "json"))
        let leaky = report.findings.filter { $0.type == "Sample.Leaky" }
        return (leaky.reduce(0) { $0 + $1.instances }, report.tracking.complete, report.processes.count)
      }
    }
  }

  /// `swift test` takes turns in one package anyway.
  @Suite(.serialized) struct ToolSampleTests {}
#endif
