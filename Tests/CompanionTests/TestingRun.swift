import Foundation
import TestSupport
import Testing

/// The test binary of `Tests/Fixtures/Packages/TestingLeaks`, under the preload library.
enum TestingLeaks {
  static let package = FixturePackage("TestingLeaks")

  /// - Parameters:
  ///   - filter: which tests to run, a regular expression.
  ///   - arguments: more of them for the test binary.
  ///   - options: for `LIVEOBJECTS_OPTIONS`.
  ///   - library: replaces the toolchain's.
  static func run(
    _ filter: String, _ arguments: [String] = [], options: String = "",
    with library: SilentTestingLibrary? = nil
  ) throws -> TestingRun {
    let folder = try TemporaryFolder()
    let environment = [
      "LD_PRELOAD": BuiltProducts.preloadLibrary, "NO_COLOR": "1",
      "LIVEOBJECTS_OPTIONS": "format=json:output=\(folder.path("report")):\(options)",
    ].merging(library?.environment ?? [:]) { ours, more in ours + ":" + more }
    let run = try runProgram(
      try package.testBinary(),
      // Of an option that is there twice, the first counts.
      ["--testing-library", "swift-testing", "--filter", filter] + arguments
        + ["--event-stream-output-path", folder.path("events")] + streamVersion,
      environment: environment)
    return TestingRun(
      run: run, events: try TestingEvent.all(in: (try? folder.text(of: "events")) ?? ""),
      report: try JSONReport(folder.bytes(of: "report")))
  }

  /// Of the event stream, in which an issue names its case.
  private static let streamVersion: [String] = {
    #if compiler(>=6.3)
      ["--experimental-event-stream-version", "99"]
    #else
      []
    #endif
  }()

  /// Where a test is declared: the place of its attribute.
  static func declaration(of test: String, in file: String) throws -> String? {
    try package.line(of: test, in: "Tests/LeakyTests/" + file).map { "\(file):\($0)" }
  }
}

/// The output of Swift Testing, and the report.
struct TestingRun {
  let run: ProgramRun
  private let events: [TestingEvent]
  let report: JSONReport

  /// An issue that the companion recorded.
  struct Leak: Hashable {
    /// `leaks(number:)`, or its suite.
    var test: String
    /// `"c", 2`; empty for a test without parameters.
    var arguments: String
    /// `File.swift:12`.
    var place: String
    /// The first line.
    var finding: String
    /// The other lines.
    var explanation: String
  }

  init(run: ProgramRun, events: [TestingEvent], report: JSONReport) {
    (self.run, self.events, self.report) = (run, events, report)
  }

  /// In the order in which they were recorded, from the event stream: the human-readable output of 6.0 mixes lines of
  /// several issues.
  var leaks: [Leak] { events.compactMap(\.leak) }

  /// The tests that leaked, sorted.
  var leakingTests: [String] { Set(leaks.map(\.test)).sorted() }
}

/// The fields of a line of Swift Testing's event stream that describe issues.
struct TestingEvent: Decodable {
  struct Payload: Decodable {
    struct Message: Decodable {
      var text: String
    }
    struct Case: Decodable {
      var displayName: String
    }
    struct Issue: Decodable {
      struct Place: Decodable {
        var fileID: String
        var line: Int
      }
      var sourceLocation: Place?
    }
    var kind: String
    var testID: String?
    var _testCase: Case?
    var issue: Issue?
    var messages: [Message]?
  }
  var payload: Payload

  static func all(in text: String) throws -> [TestingEvent] {
    try text.split(separator: "\n").filter { $0.contains("\"issueRecorded\"") }
      .map { try JSONDecoder().decode(TestingEvent.self, from: Data($0.utf8)) }
  }

  fileprivate var leak: TestingRun.Leak? {
    let lines = (payload.messages ?? []).flatMap { $0.text.split(separator: "\n") }
    guard let place = payload.issue?.sourceLocation,
      let finding = lines.firstIndex(where: { $0.hasPrefix("LiveObjects: retain cycle") })
    else { return nil }
    let file = place.fileID.split(separator: "/").last ?? ""
    return TestingRun.Leak(
      test: test, arguments: payload._testCase?.displayName ?? "", place: "\(file):\(place.line)",
      finding: String(lines[finding]), explanation: lines[(finding + 1)...].joined(separator: "\n"))
  }

  /// `LeakyTests.ParallelTests/leaksA()/ParallelTests.swift:9:4` is of `leaksA()`.
  private var test: String {
    let names = (payload.testID ?? "").split(separator: "/").filter { !$0.contains(".swift:") }
    return names.count > 1
      ? String(names[names.count - 1]) : String(names.first?.split(separator: ".").last ?? "")
  }
}

extension JSONReport {
  /// The outcomes of the tests whose name begins so, sorted.
  func outcomes(of name: String) -> [String] {
    tests.filter { $0.id.hasPrefix(name) }.map(\.outcome).sorted()
  }
}
