import Foundation
import TestSupport
import Testing

/// `Tests/Fixtures/Packages/TestingLeaks`, as its test binary is, under the preload library.
enum TestingLeaks {
  static let package = FixturePackage("TestingLeaks")

  /// - Parameters:
  ///   - filter: which tests to run, a regular expression.
  ///   - arguments: more of them for the test binary.
  ///   - options: for `LIVEOBJECTS_OPTIONS`.
  ///   - timeout: how long it may take.
  ///   - library: in the place of the toolchain's.
  static func run(
    _ filter: String, _ arguments: [String] = [], options: String = "", timeout: Duration = .seconds(60),
    with library: SilentTestingLibrary? = nil
  ) throws -> TestingRun {
    let folder = try TemporaryFolder()
    let environment = [
      "LD_PRELOAD": BuiltProducts.preloadLibrary, "NO_COLOR": "1",
      "LIVEOBJECTS_OPTIONS": "format=json:output=\(folder.path("report")):\(options)",
    ].merging(library?.environment ?? [:]) { ours, more in ours + ":" + more }
    let binary = try package.testBinary()
    let run = try runProgram(
      try library?.program(binary) ?? binary,
      ["--testing-library", "swift-testing", "--filter", filter] + arguments,
      environment: environment, timeout: timeout)
    let report = Data(try folder.bytes(of: "report"))
    return TestingRun(run: run, report: try JSONDecoder().decode(TestingReport.self, from: report))
  }

  /// Where a test is declared: the place of its attribute.
  static func declaration(of test: String, in file: String) throws -> String? {
    try package.line(of: test, in: "Tests/LeakyTests/" + file).map { "\(file):\($0)" }
  }
}

/// What Swift Testing said on standard error, and what the report says.
struct TestingRun {
  let run: ProgramRun
  let report: TestingReport

  /// An issue that one of our companions recorded.
  struct Leak: Hashable {
    /// `leaks(number:)`.
    var test: String
    /// `number → 2`; empty for a test without parameters.
    var arguments: String
    /// `File.swift:12`.
    var place: String
    /// The first line.
    var finding: String
    /// The other lines.
    var explanation: String
  }

  /// In the order in which they were recorded.
  var leaks: [Leak] {
    let lines = run.standardError.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { index in
      guard let issue = lines[index].firstMatch(of: Self.issue), index + 1 < lines.endIndex,
        let finding = lines[index + 1].wholeMatch(of: Self.finding)
      else { return nil }
      return Leak(
        test: String(issue.test), arguments: issue.arguments.map(String.init) ?? "",
        place: String(issue.place),
        finding: String(finding.text),
        explanation: lines[(index + 2)...].prefix { $0.hasPrefix("    ") }.joined(separator: "\n"))
    }
  }

  /// The tests that leaked, sorted.
  var leakingTests: [String] { Set(leaks.map(\.test)).sorted() }

  // Immutable, and never changed after it is made.
  nonisolated(unsafe) private static let issue =
    /^✘ (?:Test|Suite) (?<test>.+?) recorded an issue(?: with \d+ arguments? (?<arguments>.*))? at (?<place>\S+:\d+):\d+: Issue recorded$/
  nonisolated(unsafe) private static let finding = /↳ (?<text>retain cycle.*)/
}

/// As much of a JSON report as these tests ask about.
struct TestingReport: Decodable {
  struct Test: Decodable {
    var id: String
    var `case`: String?
    var library: String
    var outcome: String
    var findings: [String]
  }
  struct Finding: Decodable {
    var verdict: String
    var type: String
    var instances: Int
    var test: String?
    var `case`: String?
  }
  var tests: [Test]
  var findings: [Finding]

  /// The outcomes of the tests whose name begins so, sorted.
  func outcomes(of name: String) -> [String] {
    tests.filter { $0.id.hasPrefix(name) }.map(\.outcome).sorted()
  }
}

extension Trait where Self == ConditionTrait {
  /// For what needs test cases whose beginning and end can be seen. Without, `TestingRecordsTests` says what there is.
  static var needsVisibleCases: Self {
    #if compiler(>=6.1)
      let areVisible = true
    #else
      let areVisible = false
    #endif
    return .enabled(if: areVisible, "Swift Testing 6.0 binds its state of a case inside of the runtime")
  }
}
