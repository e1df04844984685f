#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Runs of the test target `AssertedScenarios`, which plants scenarios inside of assertions.
  struct AssertedScenarios {
    enum Assertion: String, CaseIterable, CustomTestStringConvertible {
      case xctAssertNoLeaks = "XCTAssertNoLeaks"
      case expectNoLeaks
      #if compiler(>=6.1)  // Swift Testing before has no traits that run code.
        case detectsLeaks
      #endif

      var testDescription: String { rawValue }
    }

    static let module = "AssertedScenarios"

    /// One run of all, which all of these tests read.
    static let shared = Result { try AssertedScenarios() }

    private static let package = FixturePackage("AssertionIdioms")

    /// Each in its own process: otherwise they would also evaluate the survivors of the others.
    let xctest: XCTestRun
    let expected: SwiftTestingRun
    let detected: SwiftTestingRun

    /// - Parameter scenario: the only one, or `all`.
    /// - Parameter assertion: the only one that runs; the others have no failures then.
    private init(of scenario: String = "all", only assertion: Assertion? = nil) throws {
      func run(_ arguments: [String]) throws -> ProgramRun {
        try runProgram(
          try Self.package.testBinary(), arguments, environment: ["SCENARIO": scenario])
      }
      func run(only test: String) throws -> SwiftTestingRun {
        SwiftTestingRun(
          try run(SwiftTestingRun.arguments + ["--filter", "\(Self.module)\\..*/\(test)\\("]))
      }
      func runs(_ name: String) -> Bool { assertion.map { $0.rawValue == name } ?? true }
      let nothing = try runProgram("/bin/true", [])
      xctest = XCTestRun(
        runs("XCTAssertNoLeaks") ? try run(["\(Self.module).AssertedScenarioXCTests"]) : nothing)
      expected = runs("expectNoLeaks") ? try run(only: "expected") : SwiftTestingRun(nothing)
      detected = runs("detectsLeaks") ? try run(only: "detected") : SwiftTestingRun(nothing)
    }

    /// The messages of an assertion round a scenario. One that may be hidden is planted again, by itself, until it is
    /// found.
    static func messages(of assertion: Assertion, on expected: ExpectedFinding) throws -> [String] {
      let messages = try shared.get().messages(of: assertion)[expected.scenario] ?? []
      guard messages.isEmpty, expected.mayBeHidden, !expected.isTask else { return messages }
      return try (0..<8).lazy
        .map { _ in try AssertedScenarios(of: expected.scenario, only: assertion).messages(of: assertion) }
        .compactMap { $0[expected.scenario] }.first ?? []
    }

    /// An assertion's messages by the scenario for which it fails, beginning with the finding.
    func messages(of assertion: Assertion) -> [String: [String]] {
      let failures: [(scenario: String, message: String)] =
        switch assertion {
        case .xctAssertNoLeaks:
          // The first line ends with the user's own message.
          xctest.failures.map { failure in
            let first = failure.message.prefix { $0 != "\n" }
            return (first.split(separator: " - ").last.map(String.init) ?? "", failure.message)
          }
        case .expectNoLeaks: expected.messages
        #if compiler(>=6.1)
          case .detectsLeaks: detected.messages
        #endif
        }
      let own = failures.compactMap { failure in
        failure.message.range(of: "\(assertion.rawValue): ")
          .map { (failure.scenario, [String(failure.message[$0.upperBound...])]) }
      }
      return Dictionary(own, uniquingKeysWith: +)
    }
  }

  extension SwiftTestingRun {
    /// The only argument of a case is the scenario.
    fileprivate var messages: [(scenario: String, message: String)] {
      issues.map {
        (scenario: $0.arguments?.split(separator: "\"").last.map(String.init) ?? "", message: $0.message)
      }
    }
  }
#endif
