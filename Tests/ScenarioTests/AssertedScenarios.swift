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

    /// - Parameters:
    ///   - scenario: the only one, or `all`.
    ///   - assertion: the only one that runs; the others have no failures then.
    private init(of scenario: String = "all", only assertion: Assertion? = nil) throws {
      let binary = try Self.package.testBinary()
      func filter(_ test: String) -> [String] {
        SwiftTestingRun.arguments + ["--filter", "\(Self.module)\\..*/\(test)\\("]
      }
      let commands = [
        ("XCTAssertNoLeaks", ["\(Self.module).AssertedScenarioXCTests"]),
        ("expectNoLeaks", filter("expected")), ("detectsLeaks", filter("detected")),
      ].map { name, arguments in
        assertion == nil || assertion?.rawValue == name ? [binary] + arguments : ["/bin/true"]
      }
      // Assertions wait for objects that may still be released.
      let runs = try concurrently(commands) {
        try runProgram($0[0], Array($0.dropFirst()), environment: ["SCENARIO": scenario])
      }
      (xctest, expected, detected) = (XCTestRun(runs[0]), SwiftTestingRun(runs[1]), SwiftTestingRun(runs[2]))
    }

    /// The messages of an assertion round a scenario. One that may be hidden is planted again, by itself, until it is
    /// found.
    static func messages(of assertion: Assertion, on expected: ExpectedFinding) throws -> [String] {
      let messages = try shared.get().messages(of: assertion)[expected.scenario] ?? []
      guard expected.mayBeHidden else { return messages }
      return try Repetitions.result(of: expected.scenario, messages) {
        try AssertedScenarios(of: expected.scenario, only: assertion).messages(of: assertion)[
          expected.scenario] ?? []
      }
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
