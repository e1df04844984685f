#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  extension Scenarios {
    /// The same scenarios as ordinary tests, run by `liveobjects test`.
    @Suite struct ScenarioSuiteTests {
      @Test("every scenario runs as a test of both libraries")
      func allRun() throws {
        let run = try ScenarioSuites.shared.get()
        let names = try runProgram(BuiltProducts.executable("Scenarios"), ["--list"]).standardOutput
          .split(separator: "\n").map(String.init)
        for library in ScenarioSuites.Library.allCases {
          #expect(Set(run.report.tests.compactMap { library.scenario($0.id, $0.case) }) == Set(names))
        }
      }

      @Test(
        "a leak is found once, for the test that leaked it", arguments: ScenarioSuites.Library.allCases,
        ExpectedFinding.leaks)
      func leak(library: ScenarioSuites.Library, expected: ExpectedFinding) throws {
        var leaks = try ScenarioSuites.shared.get().leaks(of: expected.scenario, in: library)
        if expected.mayBeHidden {
          leaks = try Repetitions.result(of: expected.scenario, leaks) {
            try ScenarioSuites(planting: expected.scenario).leaks(of: expected.scenario, in: library)
          }
        }
        try #require(leaks.count == 1, "\(leaks)")
        let observed = leaks[0].observed(in: library.module, for: expected)
        #expect(observed.ignoringUntypedVictims(of: expected) == expected, "\(observed)")
      }

      @Test(
        "a scenario without a leak fails no test", arguments: ScenarioSuites.Library.allCases,
        SilenceTests.silent + (ExpectedFinding.held + ExpectedFinding.growing).map(\.scenario))
      func silence(library: ScenarioSuites.Library, scenario: String) throws {
        let leaks = try ScenarioSuites.shared.get().leaks(of: scenario, in: library)
        #expect(leaks.isEmpty, "\(leaks)")
      }

      @Test(
        "a held object is found with its holder and its test", arguments: ScenarioSuites.Library.allCases,
        ExpectedFinding.held + ExpectedFinding.growing)
      func holder(library: ScenarioSuites.Library, expected: ExpectedFinding) throws {
        let found = try ScenarioSuites.shared.get()
        // Beside other tests the path may begin at the task.
        if expected.scenario == "continuationInBuffer" { return }
        let candidates = found.findings(of: expected.scenario, in: library).map {
          $0.observed(in: library.module, for: expected)
        }
        #expect(candidates.contains(expected), "\(candidates)")
      }
    }
  }

  extension ExpectedFinding {
    /// What these keep alive is found word by word: memory without types may have old words that equal the addresses
    /// of other scenarios' leaks, which count as victims then, and an old word elsewhere may hold the timer of the run
    /// loop, which then is none.
    private static let mayHaveMoreVictims = [
      "operationSubclass", "operationBlock", "sourceWithCancelHandler",
    ]
    private static let mayHaveFewerVictims = ["unscheduledTimer"]

    fileprivate func ignoringUntypedVictims(of expected: ExpectedFinding) -> ExpectedFinding {
      let exceptions = victims > expected.victims ? Self.mayHaveMoreVictims : Self.mayHaveFewerVictims
      guard exceptions.contains(scenario) else { return self }
      var finding = self
      (finding.victims, finding.objects) = (expected.victims, expected.objects)
      return finding
    }
  }

  /// One run of the fixture package.
  struct ScenarioSuites {
    enum Library: String, CaseIterable, CustomTestStringConvertible {
      case xctest = "XCTestScenarios"
      case testing = "TestingScenarios"

      var module: String { rawValue }
      var testDescription: String { rawValue }

      private static let xctestPrefix = "XCTestScenarios.ScenarioXCTests/test_"

      /// The scenario that a test plants; `nil` for a test of the other library.
      func scenario(_ test: String, _ testCase: String?) -> String? {
        switch self {
        case .xctest:
          test.hasPrefix(Self.xctestPrefix) ? String(test.dropFirst(Self.xctestPrefix.count)) : nil
        case .testing: test.hasPrefix(module) ? testCase.map { $0.trimmingCharacters(in: ["\""]) } : nil
        }
      }
    }

    /// One run, which all of these tests read.
    static let shared = Result { try ScenarioSuites() }

    private static let package = FixturePackage("ScenarioSuites")

    let report: JSONReport

    /// - Parameter scenario: the only one; `nil` for all.
    fileprivate init(planting scenario: String? = nil) throws {
      let package = Self.package
      _ = try package.testBinary()
      let folder = try TemporaryFolder()
      let run = try runProgram(
        BuiltProducts.tool,
        ["test", "--fail-on", "none", "--json", folder.path("report"), "--package-path", package.folder]
          + ["--scratch-path", package.scratchFolder] + FixturePackage.configuration,
        environment: scenario.map { ["SCENARIO": $0] } ?? [:])
      try #require(run.status == .exited(0), "\(run.status) \(run.standardError)")
      report = try JSONReport(folder.bytes(of: "report"))
    }

    func findings(of scenario: String, in library: Library) -> [JSONReport.Finding] {
      report.findings.filter { finding in
        finding.test.map { library.scenario($0, finding.case) == scenario } ?? false
      }
    }

    func leaks(of scenario: String, in library: Library) -> [JSONReport.Finding] {
      findings(of: scenario, in: library).filter(\.isLeak)
    }
  }
#endif
