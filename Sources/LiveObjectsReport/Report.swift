import LiveObjectsAnalysis
import LiveObjectsCapture

/// Everything a renderer shows: tracking state, tests, findings, growth by type.
public struct Report: Sendable {
  public var tracking: Tracking
  /// The programs the report is about: executable and process id.
  public var processes: [ProcessDescription]
  /// The tests in the order in which they began; empty for a program that runs no tests.
  public var tests: [Test]
  /// Most instances first.
  public var findings: [Finding]
  /// Types with the most growth first.
  public var types: [TypeGrowth]

  /// Merges the captures of one run (a program and its child processes) into one report.
  ///
  /// - Parameters:
  ///   - captures: the captures with their analyses.
  ///   - notes: sentences about what degraded the report.
  public init(of captures: [(capture: Capture, analysis: Analysis)], notes: [String] = []) {
    processes = captures.map(\.capture.process)
    findings = Self.merged(captures.flatMap(\.analysis.findings))
    tests = Test.all(of: captures, findings: findings)
    tracking = Tracking(
      of: captures.map(\.capture),
      notes: notes + TestNotes.notes(for: tests, released: captures.flatMap(\.analysis.released)))
    types = Self.merged(captures.flatMap(\.analysis.types))
  }

  /// Whether every process was watched, no object was dropped, the selected tests ran, every test was
  /// evaluated and there are no findings.
  public var isClean: Bool {
    tracking.sawEverything && !ranNoTest && tests.allSatisfy(\.outcome.isAccountable)
      && unevaluatedTests.isEmpty
      && findings.isEmpty
  }

  /// Tests whose leaks are unknown: where there are any, "no leaks found" means nothing.
  public var unevaluatedTests: [Test] { tests.filter { $0.evaluation == .impossible } }

  /// Whether test processes were watched to their ends, and no test was selected.
  var ranNoTest: Bool { tests.isEmpty && tracking.listedTests && tracking.unevaluated.isEmpty }

  /// The findings that make a run fail.
  public func failingFindings(_ failOn: FailOn) -> [Finding] {
    findings.filter(failOn.includes)
  }
}

extension Report {
  private static func merged(_ findings: [Finding]) -> [Finding] {
    struct Key: Hashable {
      var fingerprint: String
      var test: String?
      var testCase: String?
      var isKnownIssue: Bool
    }
    return Dictionary(grouping: findings) {
      Key(fingerprint: $0.fingerprint, test: $0.test, testCase: $0.testCase, isKnownIssue: $0.isKnownIssue)
    }
    .values.map(Finding.merged)
    .sorted(by: Finding.precedes)
  }

  private static func merged(_ types: [TypeGrowth]) -> [TypeGrowth] {
    struct Key: Hashable {
      var type: String
      var kind: ObjectKind
    }
    return Dictionary(grouping: types) { Key(type: $0.type, kind: $0.kind) }
      .values.map { same in same.dropFirst().reduce(into: same[0]) { $0.merge($1) } }
      .sorted(by: TypeGrowth.mostGrown)
  }
}
