import LiveObjectsAnalysis
import LiveObjectsCapture

extension Report {
  /// Whether the objects that a test left behind were evaluated.
  public enum Evaluation: Sendable, Hashable, CaseIterable {
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
  }
}

extension Report.Test {
  /// The key that findings and tests share.
  fileprivate struct Key: Hashable {
    var id: String
    var testCase: String?

    init(_ test: Report.Test) { (id, testCase) = (test.id, test.testCase) }

    /// - Returns: `nil` for an unattributed finding.
    init?(_ finding: Finding) {
      guard let test = finding.test else { return nil }
      (id, testCase) = (test, finding.testCase)
    }
  }

  /// The tests of all processes in the order in which they began; those of the same name are one.
  ///
  /// - Parameter findings: most important first.
  static func all(
    of captures: [(capture: Capture, analysis: Analysis)], findings: [Finding]
  ) -> [Report.Test] {
    var tests: [Report.Test] = []
    var indices: [Key: Int] = [:]
    for (capture, analysis) in captures {
      let leaving = Set(analysis.findings.lazy.compactMap { Key($0) })
      for description in capture.tests {
        let test = Report.Test(description, of: capture, leaving: leaving)
        if let index = indices[test.key] {
          tests[index].outcome.merge(test.outcome)
          tests[index].evaluation.merge(test.evaluation)
        } else {
          indices[test.key] = tests.count
          tests.append(test)
        }
      }
    }
    // A finding that is a known issue in part is there twice.
    var seen = [Set<String>](repeating: [], count: tests.count)
    for finding in findings {
      guard let key = Key(finding), let index = indices[key],
        seen[index].insert(finding.fingerprint).inserted
      else { continue }
      tests[index].findings.append(finding.fingerprint)
    }
    return tests
  }

  /// - Parameter leaving: the tests with findings of any verdict.
  private init(_ description: TestDescription, of capture: Capture, leaving: Set<Key>) {
    self.init(
      id: description.id, testCase: description.arguments.isEmpty ? nil : description.arguments,
      library: description.library, outcome: description.outcome, evaluation: .notWanted, findings: [])
    guard outcome.isAccountable else { return }
    let isEvaluated = description.isEvaluated || capture.graph?.status.isEvaluated == true
    if isEvaluated || !(capture.isJournal || leaving.contains(key)) {
      evaluation = .complete
    } else if capture.isJournal || capture.graph != nil {
      evaluation = .impossible
    }
  }

  private var key: Key { Key(self) }
}

extension TestDescription.Outcome {
  /// Keeps the worst outcome of a test that ran several times.
  fileprivate mutating func merge(_ other: TestDescription.Outcome) {
    if other.severity > severity { self = other }
  }

  private var severity: Int {
    switch self {
    case .skipped: 0
    case .passed: 1
    case .leaked: 2
    case .running: 3
    case .failed: 4
    }
  }
}

extension Report.Evaluation {
  /// Keeps the worst evaluation of a test that ran several times.
  fileprivate mutating func merge(_ other: Self) {
    let worstLast = Self.allCases
    self = worstLast.last { $0 == self || $0 == other } ?? self
  }
}
