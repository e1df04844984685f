import LiveObjectsAnalysis
import LiveObjectsCapture

extension Report {
  /// Whether the objects that a test left behind were evaluated.
  public enum Evaluation: Sendable, Hashable {
    /// Evaluated in full.
    case complete
    /// Not requested: the test may not have cleaned up, or the user has switched references off.
    case notWanted
    /// Its references could not be read, or its process ended early: leaks are unknown.
    case impossible
  }

  /// A test that ran, or one case of a parameterised test, with its findings.
  public struct Test: Sendable, Hashable {
    /// The id in the spelling of `swift test list`.
    public var id: String
    /// The arguments of a parameterised case.
    public var testCase: String?
    public var library: TestDescription.Library
    public var outcome: TestDescription.Outcome
    public var evaluation: Evaluation
    /// The fingerprints of its findings, most important first.
    public var findings: [String]
    /// The place of its declaration; `nil` where it is not known.
    public var file: String?
    public var line: Int?
  }
}

extension Report {
  /// The tests with their outcomes in this report: one that passed by itself, and left findings that fail, has leaked.
  /// Those of Swift Testing are evaluated when their process ends.
  var concludedTests: [Test] {
    let leaking = Set(failingFindings.lazy.compactMap { TestName(of: $0) })
    return tests.map { test in
      guard test.outcome == .passed, leaking.contains(TestName(test)) else { return test }
      var test = test
      test.outcome = .leaked
      return test
    }
  }
}

extension Report.Test {
  /// The tests of all processes in the order in which they began; those of the same name are one.
  ///
  /// - Parameter findings: most important first.
  static func all(
    of captures: [(capture: Capture, analysis: Analysis)], findings: [Finding]
  ) -> [Report.Test] {
    let tests = captures.flatMap { capture, analysis in
      let leaving = Set(analysis.findings.lazy.compactMap { TestName(of: $0) })
      return capture.tests.map { test in
        Report.Test(test, of: capture, hasFindings: leaving.contains(TestName(test)))
      }
    }
    return merged(tests, findings: findings)
  }

  /// Those of the same name as one, in the order of their first appearance.
  ///
  /// - Parameter findings: of all tests, most important first.
  static func merged(_ all: [Report.Test], findings: [Finding]) -> [Report.Test] {
    var tests: [Report.Test] = []
    var indices: [TestName: Int] = [:]
    for test in all {
      if let index = indices[TestName(test)] {
        tests[index].merge(test)
      } else {
        indices[TestName(test)] = tests.count
        tests.append(test)
        tests[tests.count - 1].findings = []
      }
    }
    // A finding that is a known issue in part is there twice.
    var seen = [Set<String>](repeating: [], count: tests.count)
    for finding in findings {
      guard let name = TestName(of: finding), let index = indices[name],
        seen[index].insert(finding.fingerprint).inserted
      else { continue }
      tests[index].findings.append(finding.fingerprint)
    }
    return tests
  }

  /// - Parameter hasFindings: whether there are findings about it, of any verdict.
  private init(_ description: TestDescription, of capture: Capture, hasFindings: Bool) {
    self.init(
      id: description.id, testCase: description.testCase,
      library: description.library, outcome: description.outcome, evaluation: .notWanted, findings: [])
    if !description.file.isEmpty, description.line > 0 {
      (file, line) = (description.file, Int(description.line))
    }
    guard outcome.isAccountable else { return }
    guard capture.tracking.droppedRecords == 0 else {
      evaluation = .impossible
      return
    }
    let isEvaluated = description.isEvaluated || capture.graph?.status.isEvaluated == true
    if isEvaluated || !(capture.isJournal || hasFindings) {
      evaluation = .complete
    } else if capture.isJournal || capture.graph != nil {
      evaluation = .impossible
    }
  }
}

extension Report.Test {
  /// Keeps the worst results of a test that ran several times.
  private mutating func merge(_ other: Report.Test) {
    let (outcomes, evaluations) = ([outcome, other.outcome], [evaluation, other.evaluation])
    outcome = [.failed, .running, .leaked, .passed, .skipped].first(where: outcomes.contains)!
    evaluation = [.impossible, .notWanted, .complete].first(where: evaluations.contains)!
    if file == nil { (file, line) = (other.file, other.line) }
  }
}

/// The name of a test in a text report.
struct TestName: Hashable, CustomStringConvertible {
  let id: String
  let testCase: String?

  /// - Returns: `nil` for an unattributed finding.
  init?(of finding: Finding) {
    guard let id = finding.test else { return nil }
    (self.id, testCase) = (id, finding.testCase)
  }

  init(_ test: Report.Test) {
    (id, testCase) = (test.id, test.testCase)
  }

  init(_ test: TestDescription) {
    (id, testCase) = (test.id, test.testCase)
  }

  /// `DemoTests.LoaderTests/testLoad`, `DemoTests.load(count:) (3)`
  var description: String { testCase.map { "\(id) (\($0))" } ?? id }
}
