import LiveObjectsAnalysis
import LiveObjectsCapture

extension Report {
  /// A test that ran, or one case of a parameterised test, with what it left behind.
  public struct Test: Sendable, Hashable {
    /// As `swift test list` spells it.
    public var id: String
    /// The arguments of a parameterised case.
    public var testCase: String?
    public var library: TestDescription.Library
    public var outcome: TestDescription.Outcome
    /// The fingerprints of its findings, most important first.
    public var findings: [String]
  }
}

extension Report.Test {
  /// What findings and tests know of each other.
  fileprivate struct Key: Hashable {
    var id: String
    var testCase: String?
  }

  /// The tests of all processes in the order in which they began; those of the same name are one.
  ///
  /// - Parameter findings: most important first.
  static func all(of captures: some Sequence<Capture>, findings: [Finding]) -> [Report.Test] {
    var tests: [Report.Test] = []
    var indices: [Key: Int] = [:]
    for description in captures.lazy.flatMap(\.tests) {
      let test = Report.Test(description)
      if let known = indices[test.key] {
        tests[known].outcome.merge(test.outcome)
      } else {
        indices[test.key] = tests.count
        tests.append(test)
      }
    }
    for finding in findings {
      guard let id = finding.test, let index = indices[Key(id: id, testCase: finding.testCase)] else {
        continue
      }
      // One that is known in part is there twice.
      if !tests[index].findings.contains(finding.fingerprint) {
        tests[index].findings.append(finding.fingerprint)
      }
    }
    return tests
  }

  private init(_ description: TestDescription) {
    self.init(
      id: description.id, testCase: description.arguments.isEmpty ? nil : description.arguments,
      library: description.library, outcome: description.outcome, findings: [])
  }

  private var key: Key { Key(id: id, testCase: testCase) }
}

extension TestDescription.Outcome {
  /// Of a test that ran several times, what is worst is told.
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
