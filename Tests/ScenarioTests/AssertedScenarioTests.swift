#if os(Linux)
  import TestSupport
  import Testing

  extension Scenarios {
    /// The same scenarios inside of the assertions of LiveObjectsXCTest and LiveObjectsTesting.
    @Suite struct AssertedScenarioTests {
      @Test(
        "an assertion around a leak fails once, with the leaked type",
        arguments: AssertedScenarios.Assertion.allCases,
        ExpectedFinding.leaks)
      func leak(assertion: AssertedScenarios.Assertion, expected: ExpectedFinding) throws {
        let messages = try AssertedScenarios.messages(of: assertion, on: expected)
        #expect(messages.count == 1, "\(messages)")
        let message = ExpectedMessage(of: expected, in: AssertedScenarios.module)
        #expect(message.matches(messages.first ?? ""), "\(message) \(messages)")
      }

      /// `nestedGenerics` leaks too, and `FindingTests` checks its finding, as does `observedItself`, whose path is not
      /// known with every toolchain. All others must have no findings.
      @Test("only an assertion around a leak fails", arguments: AssertedScenarios.Assertion.allCases)
      func silence(assertion: AssertedScenarios.Assertion) throws {
        let failed = try AssertedScenarios.shared.get().messages(of: assertion).keys
        let leaking = Set(ExpectedFinding.leaks.map(\.scenario)).union(["nestedGenerics", "observedItself"])
        let hidden = Set(ExpectedFinding.leaks.filter(\.mayBeHidden).map(\.scenario))
        #expect(leaking.symmetricDifference(failed).subtracting(hidden) == [])
        #expect(leaking.isSuperset(of: failed))
      }

      @Test("every scenario runs inside of every assertion")
      func allRun() throws {
        let runs = try AssertedScenarios.shared.get()
        #expect(runs.xctest.summary?.hasPrefix("Executed 1 test, ") == true)
        let names = try runProgram(BuiltProducts.executable("Scenarios"), ["--list"]).standardOutput
          .split(separator: "\n")
        let cases = Set(names.map { "name → \"\($0)\"" })
        #expect(runs.expected.arguments(of: "expected(name:)") == cases)
        #if compiler(>=6.1)
          #expect(runs.detected.arguments(of: "detected(name:)") == cases)
        #endif
      }
    }
  }
#endif
