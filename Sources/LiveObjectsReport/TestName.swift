import LiveObjectsAnalysis
import LiveObjectsCapture

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
    (id, testCase) = (test.id, test.arguments.isEmpty ? nil : test.arguments)
  }

  /// `DemoTests.LoaderTests/testLoad`, `DemoTests.load(count:) (3)`
  var description: String { testCase.map { "\(id) (\($0))" } ?? id }
}
