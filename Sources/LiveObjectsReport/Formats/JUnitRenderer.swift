import LiveObjectsAnalysis
import LiveObjectsCapture

/// Renders a report as JUnit's XML: one suite for each test module, one case for each test that ran. What
/// no test left behind is a case of its own.
struct JUnitRenderer {
  private typealias Failure = (kind: String, type: String, message: String, text: String)

  private struct TestCase {
    var suite: String
    var className: String
    var name: String
    /// `nil` for a test that passed.
    var failure: Failure?
  }

  func render(_ report: Report) -> String {
    let findings = Dictionary(grouping: report.failingFindings) { TestName(of: $0) }
    let reported = Set(report.findings.compactMap { TestName(of: $0) })
    let cases =
      report.tests.map { test in
        let hasFindings = reported.contains(TestName(test))
        return testCase(test, findings[TestName(test)] ?? [], hasFindings: hasFindings)
      }
      + [outsideOfTests(report, findings[nil] ?? [])]
    let suites = Dictionary(grouping: cases, by: \.suite)
    var xml = XMLWriter()
    xml.element("testsuites", [("name", "LiveObjects")] + Self.counts(of: cases)) { xml in
      for (suite, cases) in suites.sorted(by: { $0.key < $1.key }) {
        xml.element("testsuite", [("name", suite)] + Self.counts(of: cases)) { xml in
          for testCase in cases { Self.add(testCase, to: &xml) }
        }
      }
    }
    return xml.text
  }

  private static func counts(of cases: [TestCase]) -> [(String, String)] {
    func count(_ kind: String) -> String { "\(cases.count { $0.failure?.kind == kind })" }
    return [("tests", "\(cases.count)"), ("failures", count("failure")), ("errors", count("error"))]
  }

  private static func add(_ testCase: TestCase, to xml: inout XMLWriter) {
    xml.element("testcase", [("classname", testCase.className), ("name", testCase.name)]) { xml in
      guard let failure = testCase.failure else { return }
      let attributes = [("type", failure.type), ("message", failure.message)]
      xml.element(failure.kind, attributes, text: failure.text)
    }
  }
}

// MARK: - Tests

extension JUnitRenderer {
  /// `DemoTests.LoaderTests/testLoad` is `testLoad` of the class `DemoTests.LoaderTests`; a global function is one
  /// of its module.
  private func testCase(_ test: Report.Test, _ findings: [Finding], hasFindings: Bool) -> TestCase {
    let suite = String(test.id.prefix { $0 != "." })
    let isMember = test.id.contains("/")
    let className = isMember ? String(test.id.prefix { $0 != "/" }) : suite
    let name = test.id.dropFirst(className.count + 1)
    return TestCase(
      suite: suite, className: className,
      name: (name.isEmpty ? test.id : String(name)) + (test.testCase.map { " (\($0))" } ?? ""),
      failure: failure(findings) ?? failure(test, hasFindings: hasFindings))
  }

  /// What no test left behind, and whether the report is on all that ran.
  private func outsideOfTests(_ report: Report, _ findings: [Finding]) -> TestCase {
    let reason = report.tracking.wasWatched ? report.tracking.evaluationFailure : "nothing was watched"
    let notes = report.notes.joined(separator: "\n")
    return TestCase(
      suite: "LiveObjects", className: "LiveObjects", name: "outside of tests",
      failure: failure(findings) ?? reason.map { ("error", "notEvaluated", $0, notes) })
  }

  private func failure(_ findings: [Finding]) -> Failure? {
    guard let first = findings.first else { return nil }
    let others = findings.count - 1
    return (
      "failure", first.verdict.rawValue,
      FindingText(first).lines[0] + (others > 0 ? " and \(Count.of(others, "other", "others"))" : ""),
      findings.map { "\(FindingText($0))\n  fingerprint: \($0.fingerprint)" }.joined(separator: "\n")
    )
  }

  /// Why a test without findings is not one that passed.
  private func failure(_ test: Report.Test, hasFindings: Bool) -> Failure? {
    switch test.outcome {
    case .leaked where !hasFindings:
      ("failure", "leaked", "An assertion of the test failed because of a leak.", "")
    case .skipped: ("skipped", "skipped", "The test was skipped.", "")
    case .failed:
      (
        "error", "failed", "The test failed for a reason of its own: what it left behind was not evaluated.",
        ""
      )
    case .running: ("error", "running", "The process ended during the test.", "")
    case .passed, .leaked:
      test.evaluation == .impossible
        ? ("error", "notEvaluated", "Whether the test left a leak behind could not be evaluated.", "") : nil
    }
  }
}
