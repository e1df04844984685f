import LiveObjectsAnalysis
import TestSupport
import Testing

@testable import LiveObjectsTool

@Suite("liveobjects run --explain-retains")
struct ExplainRetainsTests {
  @Test("runs a program that leaks again, and names the call that retained")
  func namesTheCall() throws {
    let result = try run([BuiltProducts.executable("Scenarios"), "passRetained"])
    #expect(result.standardError.contains("running again, to record the retains of Scenarios.Handle\n"))
    #expect(result.standardError.contains(/\+1 +Handle\.giveAway\(\)/))
    #expect(result.status == .exited(1))
  }

  @Test("runs a program without findings once")
  func runsOnce() throws {
    let result = try run(["sh", "-c", "echo once"])
    #expect(result.standardOutput == "once\n")
    #expect(!result.standardError.contains("running again"))
  }

  private func run(_ command: [String]) throws -> ProgramRun {
    try runProgram(BuiltProducts.tool, ["run", "--explain-retains", "--"] + command)
  }
}

#if os(Linux)
  extension ToolSampleTests {
    @Suite("liveobjects test --explain-retains")
    struct ExplainRetainsOfTests {
      @Test("runs the tests with findings again, and those alone")
      func runsLeakingTestsAgain() throws {
        let result = try ToolSample.test(["--explain-retains", "--json", "-"])
        #expect(result.status == .exited(1))
        #expect(result.standardError.contains("running again, to record the retains of Sample.Leaky\n"))
        #expect(result.standardOutput.matches(of: /printed by a test/).count == 1)
        #expect(result.standardOutput.matches(of: #/error: ObserverTests\.testLeaves : /#).count == 2)
        #expect(result.standardOutput.contains("SampleTests.ServiceTests/leaves()"))
        #expect(result.standardOutput.contains(#/"retains": [1-9]/#))
      }

      @Test("runs tests without findings once")
      func runsOnce() throws {
        let result = try ToolSample.test([
          "--filter", "testLeavesNothing|testPrints", "--explain-retains",
        ])
        #expect(result.status == .exited(0))
        #expect(result.standardOutput.matches(of: /printed by a test/).count == 1)
        #expect(!result.standardError.contains("running again"))
      }
    }
  }

  @Suite("The second run of swift test")
  struct ExplainingTestRunTests {
    private func finding(in test: String?) -> Finding {
      Finding(
        fingerprint: "1", verdict: .overRetained, type: "Demo.A", kind: .classInstance, instances: 1,
        objects: 1,
        bytes: 16, test: test)
    }

    @Test("selects the tests with findings by their names")
    func selectsTests() {
      let findings = ["T.B/b(x:)", "T.A/a", "T.A/a"].map { finding(in: $0) }
      let run = ExplainingTestRun(after: ["--parallel"], of: findings)
      #expect(
        run?.arguments
          == ["--skip-build", "--filter", "^T\\.A/a(/|$)", "--filter", "^T\\.B/b\\(x:\\)(/|$)", "--parallel"])
    }

    @Test("keeps the selection of the first one", arguments: [["--filter", "x"], ["--skip", "y"]])
    func keepsSelections(selection: [String]) {
      let run = ExplainingTestRun(after: ["--skip-build"] + selection, of: [finding(in: "T.A/a")])
      #expect(run?.arguments == ["--skip-build"] + selection)
    }

    @Test("has all tests if some objects belong to none")
    func hasAllTests() {
      let run = ExplainingTestRun(after: [], of: [finding(in: "T.A/a"), finding(in: nil)])
      #expect(run?.arguments == ["--skip-build"])
      #expect(ExplainingTestRun(after: [], of: [])?.arguments == nil)
    }
  }
#endif
