#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension Scenarios {
    /// The same scenarios inside of tests that know nothing of LiveObjects, by `liveobjects test`.
    @Suite struct ScenarioSuiteTests {
      @Test("every scenario runs as a test of both libraries")
      func allRun() throws {
        let run = try ScenarioSuites.shared.get()
        let names = try runProgram(BuiltProducts.executable("Scenarios"), ["--list"]).standardOutput
          .split(separator: "\n").map(String.init)
        for library in ScenarioSuites.Library.allCases {
          #expect(Set(run.report.tests.compactMap(library.scenario)) == Set(names))
        }
      }

      @Test(
        "a leak is found once, on the test that left it behind", arguments: ScenarioSuites.Library.allCases,
        ExpectedFinding.leaks)
      func leak(library: ScenarioSuites.Library, expected: ExpectedFinding) throws {
        let leaks = try ScenarioSuites.shared.get().leaks(of: expected.scenario, in: library)
        let leak = try #require(leaks.first, "nothing was found")
        #expect(leaks.count == 1, "\(leaks)")
        #expect(leak.observed(in: library.module, beside: expected) == expected)
      }

      @Test(
        "what is no leak fails no test", arguments: ScenarioSuites.Library.allCases,
        SilenceTests.silent + ExpectedFinding.held.map(\.scenario))
      func silence(library: ScenarioSuites.Library, scenario: String) throws {
        let leaks = try ScenarioSuites.shared.get().leaks(of: scenario, in: library)
        #expect(leaks.isEmpty, "\(leaks)")
      }

      @Test(
        "what is held is found with its holder and its test", arguments: ScenarioSuites.Library.allCases,
        ExpectedFinding.held)
      func holder(library: ScenarioSuites.Library, expected: ExpectedFinding) throws {
        let found = try ScenarioSuites.shared.get().findings(of: expected.scenario, in: library)
        let candidates = found.map { $0.observed(in: library.module, beside: expected) }
        #expect(candidates.contains(expected), "\(candidates)")
      }
    }
  }

  /// One run of the fixture package, which all of these tests read.
  struct ScenarioSuites {
    enum Library: String, CaseIterable, CustomTestStringConvertible {
      case xctest = "XCTestScenarios"
      case testing = "TestingScenarios"

      var module: String { rawValue }
      var testDescription: String { rawValue }

      /// The scenario that a test plants; `nil` for a test of the other library.
      func scenario(_ test: ScenarioReport.Test) -> String? {
        switch self {
        case .xctest:
          test.id.wholeMatch(of: /XCTestScenarios\.ScenarioXCTests\/test_(\w+)/).map { String($0.1) }
        case .testing: test.id.hasPrefix(module) ? test.case.map { $0.trimmingCharacters(in: ["\""]) } : nil
        }
      }
    }

    static let shared = Result { try ScenarioSuites() }

    let report: ScenarioReport

    private init() throws {
      let package = FixturePackage("ScenarioSuites")
      _ = try package.testBinary()
      let folder = try TemporaryFolder()
      let run = try runProgram(
        BuiltProducts.tool,
        ["test", "--fail-on", "none", "--json", folder.path("report"), "--package-path", package.folder]
          + ["--scratch-path", package.scratchFolder] + FixturePackage.configuration)
      try #require(run.status == .exited(0), "\(run.status) \(run.standardError)")
      report = try JSONDecoder().decode(ScenarioReport.self, from: Data(try folder.bytes(of: "report")))
    }

    func findings(of scenario: String, in library: Library) -> [ScenarioReport.Finding] {
      report.findings.filter { finding in
        finding.test.map { library.scenario(.init(id: $0, case: finding.case)) == scenario } ?? false
      }
    }

    func leaks(of scenario: String, in library: Library) -> [ScenarioReport.Finding] {
      findings(of: scenario, in: library).filter(\.isLeak)
    }
  }
#endif
