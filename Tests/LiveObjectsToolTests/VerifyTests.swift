#if os(Linux)
  import TestSupport
  import Testing

  extension ToolSampleTests {
    /// `testLeaves` is fixed where the environment has `SAMPLE_IS_FIXED`.
    @Suite("liveobjects verify")
    struct VerifyTests {
      private static let isFixed: [String: String?] = ["SAMPLE_IS_FIXED": "1"]
      private let folder: TemporaryFolder
      private var report: String { folder.path("leaks.json") }

      init() throws { folder = try TemporaryFolder() }

      private func verify(
        _ arguments: [String], _ environment: [String: String?] = [:]
      ) throws -> ProgramRun {
        try ToolSample.run(
          BuiltProducts.tool, ["verify"] + arguments + ToolSample.scratchPath, environment: environment)
      }

      /// Writes a report on one test.
      ///
      /// - Returns: the fingerprint of its leak.
      private func leak(of test: String = "testLeaves$") throws -> String {
        _ = try ToolSample.test(["--json", report, "--filter", test])
        let match = try folder.text(of: "leaks.json").firstMatch(
          of: /"fingerprint": "([0-9a-f]{16})", "reason"/)
        return String(try #require(match).1)
      }

      @Test("passes once the finding is gone in three runs, and fails in the first run until then")
      func passesIfFixed() throws {
        let fingerprint = try leak()
        let leaking = try verify([fingerprint, "--report", report])
        #expect(leaking.status == .exited(1))
        #expect(leaking.standardOutput.hasSuffix("FAIL: still there: \(fingerprint)\n"))
        #expect(leaking.standardError.contains("retain cycle: Sample.Leaky"))
        let fixed = try verify([fingerprint, "--report", report], Self.isFixed)
        #expect(fixed.status == .exited(0), "\(fixed.standardError)")
        #expect(fixed.standardOutput.hasSuffix("PASS: gone in 3 runs\n"))
        #expect(fixed.standardOutput.matches(of: /testLeaves' passed/).count == 3)
        #expect(!fixed.standardOutput.contains("testPrints"))
      }

      @Test("takes a line of a baseline, and arguments of swift test")
      func takesBaselineLines() throws {
        let fingerprint = try leak()
        let options = [
          "--baseline-line", "\(fingerprint)\tSampleTests.ObserverTests/testLeaves", "--runs", "1",
        ]
        #expect(try verify(options).status == .exited(1))
        let arguments = options + ["--parallel", "--", "--skip-build"]
        #expect(try verify(arguments, Self.isFixed).status == .exited(0))
      }

      @Test("fails if other objects are left instead")
      func findsNewLeaks() throws {
        let line = "0123456789abcdef\tSampleTests.ObserverTests/testLeaves\tretainCycle Sample.Other"
        let result = try verify(["--baseline-line", line])
        #expect(result.status == .exited(1))
        #expect(result.standardOutput.contains("\nFAIL: gone, but new: "))
      }

      @Test("passes nothing that did not run", arguments: [false, true])
      func needsTheTest(bisects: Bool) throws {
        let line = "0123456789abcdef\tSampleTests.ObserverTests/testHadAnotherName"
        let result = try verify(["--baseline-line", line] + (bisects ? ["--bisect"] : []))
        #expect(result.status == .exited(bisects ? 125 : 3))
        #expect(result.standardError.contains("testHadAnotherName did not run: it may have another name now"))
        #expect(!result.standardOutput.contains("PASS"))
      }

      @Test("passes no test that was skipped or failed", arguments: [[:], ["SAMPLE_FAILS": "1"]])
      func needsAnEvaluation(environment: [String: String?]) throws {
        let line = "0123456789abcdef\tSampleTests.ObserverTests/testFails"
        let result = try verify(["--baseline-line", line], environment)
        #expect(result.status == .exited(3))
        #expect(result.standardError.contains("testFails was not evaluated: it "))
      }

      @Test(
        "knows the finding, or refuses", arguments: [([], 2), (["--bisect"], 128)] as [([String], Int32)])
      func needsAKnownFinding(options: [String], status: Int32) throws {
        _ = try leak()
        let unknown = try verify(["0123456789abcdef", "--report", report] + options)
        #expect(unknown.status == .exited(status))
        #expect(
          unknown.standardError.hasPrefix("liveobjects: neither \(report) nor .liveobjects-baseline has"))
        #expect(try verify(options).status == .exited(status))
        #expect(try verify(["0123456789abcdef", "--runs", "0"] + options).status == .exited(status))
      }

      @Test(
        "has no answer if the tests do not build",
        arguments: [([], 2), (["--bisect"], 125)] as [([String], Int32)])
      func needsABuild(options: [String], status: Int32) throws {
        _ = try folder.source("let package = nonsense\n", named: "Package.swift")
        let result = try runProgram(
          BuiltProducts.tool,
          ["verify", "--baseline-line", "0123456789abcdef\tA.B/c", "--package-path", folder.path] + options)
        #expect(result.status == .exited(status))
        #expect(result.standardError.contains("before a test ran"))
      }
    }
  }
#endif
