import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsReport

@Suite struct JSONReportReaderTests {
  private func json(_ report: Report) -> String { JSONRenderer().render(report) }

  private func read(_ text: String) throws -> Report {
    try JSONReportReader.report(in: Array(text.utf8))
  }

  private func error(_ text: String) -> JSONError? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error as? JSONError
    }
  }

  private static let reports = [
    LeakingProgram().report(), TestedPackage.report(), ExplainedFindings.report(),
  ]

  @Test(arguments: reports.indices)
  func aReportIsTheSameAfterReading(index: Int) throws {
    let report = Self.reports[index]
    let again = try read(json(report))
    #expect(json(again) == json(report))
    #expect(TextRenderer().render(again) == TextRenderer().render(report))
    #expect(again.failingFindings.map(\.fingerprint) == report.failingFindings.map(\.fingerprint))
  }

  @Test func hintsAreRead() throws {
    var finding = ExplainedFindings.cycle
    finding.hint = Finding.Hint(
      .captureWeakly,
      at: [.init(kind: .closure, name: "closure #1 in Demo.Loader.load()", captured: "self", line: 3)])
    (finding.elements, finding.dependency) = (7, "Wire")
    #expect(try read(json(ExplainedFindings.report([finding]))).findings == [finding])
  }

  @Test func memoryThatWasNotReadStaysMissing() throws {
    var report = TestedPackage.report()
    report.tracking.missesRoots = true
    #expect(try read(json(report)).tracking == report.tracking)
    #expect(try !read(json(report).replacing("\"missesRoots\"", with: "\"unknown\"")).tracking.missesRoots)
  }

  /// It would be a line of its own in a baseline.
  @Test func aFingerprintHasNoOtherCharacters() throws {
    var finding = ExplainedFindings.cycle
    finding.fingerprint = "0000000000000000\tX\n00000000000000c1\t*"
    #expect(
      error(json(ExplainedFindings.report([finding])))
        == JSONError(expectation: "16 hexadecimal digits", place: "findings[0].fingerprint"))
  }

  @Test func textIsReadAsItWasWritten() throws {
    var finding = ExplainedFindings.cycle
    finding.type = "\"\\\n\t\u{1}\u{202e}é😀\u{2028}/"
    #expect(try read(json(ExplainedFindings.report([finding]))).findings == [finding])
  }

  @Test func testsWithUnknownLeaksKeepAReportFromBeingClean() throws {
    var report = TestedPackage.report()
    report.findings = []
    #expect(try read(json(report)).unevaluatedTests.map(\.id) == report.unevaluatedTests.map(\.id))
    report.tests[0].evaluation = .impossible
    #expect(try !read(json(report)).isClean)
    #expect(try read(json(report)).unevaluatedTests.contains { $0.id == report.tests[0].id })
  }

  @Test(arguments: [
    ("", "a value", "byte 0"), ("{", "a key", "byte 1"), ("[1 2]", "a comma or ]", "byte 3"),
    ("{\"a\": 1e999}", "a value", "byte 6"), ("{\"a\": \"\\q\"}", "an escape sequence", "byte 8"),
    ("{\"a\": \"\\u12\"}", "four hexadecimal digits", "byte 8"),
    ("{\"a\": \"x", "the end of a string", "byte 8"),
    ("{} {}", "the end of the document", "byte 3"), ("[]", "an object", ""),
    ("{}", "a number", "schemaVersion"), ("{\"schemaVersion\": 2}", "1", "schemaVersion"),
    ("{\"schemaVersion\": 1}", "an object", "tracking"),
    ("{\"schemaVersion\": 1, \"tracking\": {\"complete\": 3}}", "true or false", "tracking.complete"),
  ])
  func otherDocumentsAreRejected(text: String, expectation: String, place: String) {
    #expect(error(text) == JSONError(expectation: expectation, place: place))
  }

  @Test func thePlaceOfAMistakeIsNamed() throws {
    let text = json(ExplainedFindings.report([ExplainedFindings.cycle]))
    #expect(
      error(text.replacing("\"line\": 42", with: "\"line\": \"42\""))
        == JSONError(
          expectation: "a number from 0 to 2^40, or null",
          place: "findings[0].allocatedAt[0].frames[0].line"))
    #expect(
      error(text.replacing("\"verdict\": \"retainCycle\"", with: "\"verdict\": \"x\""))?.place
        == "findings[0].verdict")
  }

  @Test func nestingIsLimited() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(error(deep)?.expectation == "at most 32 nested values")
  }

  @Test func countsAreLimited() {
    let text = json(ExplainedFindings.report([ExplainedFindings.cycle]))
    let huge = text.replacing("\"instances\": 5", with: "\"instances\": 9223372036854775807")
    #expect(error(huge)?.place == "findings[0].instances")
  }
}
