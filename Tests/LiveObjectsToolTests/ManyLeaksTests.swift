#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A package whose tests leaked long before anybody searched for leaks: 15 tests for two reasons.
  @Suite("A package with many leaks", .serialized)
  struct ManyLeaksTests {
    private static let package = FixturePackage("ManyLeaks")
    private let folder: TemporaryFolder
    private var baseline: String { folder.path("baseline") }

    init() throws { folder = try TemporaryFolder() }

    @Test("has two causes at first; with a baseline, only a new leak fails, and a fixed one is stale")
    func isAdopted() throws {
      let capture = folder.path("capture")
      let writing = try run("baseline", ["--write-baseline", baseline, "--capture", capture])
      #expect(writing.status == .exited(0))
      #expect(writing.failedTests.isEmpty)
      #expect(try entries.count == 15)

      // Without the baseline, the same objects are findings that fail.
      let first = try Run(
        program: runProgram(BuiltProducts.tool, ["report", capture, "--json", folder.path("json")]),
        json: folder.text(of: "json"))
      #expect(first.status == .exited(1))
      #expect(first.report.leaks == 2)
      // No single reference breaks both cycles of a channel's pipeline.
      let hint =
        "Pipeline.channel (Channel.swift:20) and Context.pipeline (Channel.swift:37) are strong references: declare both weak"
      #expect(
        first.report.causes.contains { $0.hint?.text.hasPrefix(hint) == true }, "\(first.report.causes)")

      let known = try run("test", ["--baseline", baseline])
      #expect(known.status == .exited(0))
      #expect(known.failedTests.isEmpty)

      let changed = try run(
        "test", ["--baseline", baseline, "--prune-baseline"],
        environment: ["MANY_LEAKS_ONE_IS_NEW": "1", "MANY_LEAKS_ONE_IS_FIXED": "1"])
      #expect(changed.status == .exited(1))
      #expect(changed.failedTests == ["CleanTests.testClosesItsSession"])
      #expect(try entries.count == 14)
      #expect(try !entries.contains { $0.contains("WireTests.ChannelTests/test001\t") })
    }

    private var entries: [Substring] {
      get throws { try folder.text(of: "baseline").split(separator: "\n").filter { !$0.hasPrefix("#") } }
    }

    private func run(
      _ command: String, _ options: [String] = [], environment: [String: String?] = [:]
    ) throws -> Run {
      let json = folder.path("json")
      let run = try Self.package.test(["--json", json] + options, by: command, environment: environment)
      return try Run(program: run, json: folder.text(of: "json"))
    }
  }

  /// A run of `liveobjects`, with its JSON report.
  private struct Run {
    private let program: ProgramRun
    let report: Report

    struct Report: Decodable {
      struct Cause: Decodable {
        var verdict: String
        var known: Bool
        var libraryLeak: Bool
        var hint: Hint?

        struct Hint: Decodable { var text: String }
      }
      var causes: [Cause]

      /// The causes that fail.
      var leaks: Int { causes.count { $0.verdict == "retainCycle" && !$0.known && !$0.libraryLeak } }
    }

    init(program: ProgramRun, json: String) throws {
      self.program = program
      report = try JSONDecoder().decode(Report.self, from: Data(json.utf8))
    }

    var status: ProgramRun.Status { program.status }

    /// The names of the tests that failed, as the test libraries print them.
    var failedTests: Set<String> {
      let xctests = program.standardOutput.matches(of: #/error: (\S+) : /#).map { String($0.1) }
      let others = program.standardOutput.matches(of: #/✘ Test (\S+\(\)) failed/#).map { String($0.1) }
      return Set(xctests + others)
    }
  }
#endif
