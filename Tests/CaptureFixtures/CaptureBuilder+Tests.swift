import LiveObjectsAnalysis
import LiveObjectsCapture

extension CaptureBuilder {
  /// A test that allocates the objects of `body`.
  ///
  /// - Parameters:
  ///   - scope: the scope of its objects; 0 for a test that owns all objects allocated while it runs.
  ///   - body: is handed the builder and the scope.
  /// - Returns: an index into `Capture.tests`.
  @discardableResult
  public mutating func test(
    _ id: String, arguments: String = "", _ outcome: TestDescription.Outcome = .passed, scope: UInt32 = 0,
    body: (inout CaptureBuilder, UInt32) -> Void = { _, _ in }
  ) -> Int {
    listTests()
    let index = capture.tests.count
    let first = capture.process.next + 1
    capture.tests.append(
      TestDescription(
        library: scope == 0 ? .xctest : .testing, outcome: outcome, scope: scope, id: id,
        arguments: arguments, sequenceNumbers: first..<first))
    body(&self, scope)
    endTest()
    return index
  }

  /// The test ended as having leaked, with these findings, which name their objects.
  public mutating func fail(_ test: Int, with findings: [Finding]) {
    capture.tests[test].outcome = .leaked
    capture.testFindings += findings.map {
      TestFinding(test: test, objects: $0.members, content: $0.encoded)
    }
  }

  /// The same, with content that need not be a finding.
  public mutating func fail(_ test: Int, with objects: [TestFinding.Object], content: [UInt8]) {
    capture.testFindings.append(TestFinding(test: test, objects: objects, content: content))
  }

  /// All that the test left behind was evaluated when it ended.
  public mutating func evaluate(_ test: Int) { capture.tests[test].isEvaluated = true }

  /// The process has a table of tests, even if it is empty.
  public mutating func listTests() { capture.listsTests = true }

  /// Ends the test that began last; it owns the objects allocated since its beginning.
  public mutating func endTest() {
    let index = capture.tests.count - 1
    let first = capture.tests[index].sequenceNumbers.lowerBound
    capture.tests[index].sequenceNumbers = first..<capture.process.next + 1
  }

  /// - Parameter parent: the scope that `scope` was opened in.
  public mutating func scope(_ scope: UInt32, inside parent: UInt32) {
    capture.scopeParents[scope] = parent
  }

  /// An assertion has reported the scope's survivors, and its test expects that.
  ///
  /// - Parameter end: the sequence number of the first object that came later.
  public mutating func markKnownIssue(_ scope: UInt32, before end: UInt64 = .max) {
    capture.knownIssueScopes[scope] = end
  }

  /// Where a test is declared.
  public mutating func place(ofTest index: Int, file: String, line: UInt32) {
    capture.tests[index].file = file
    capture.tests[index].line = line
  }

  /// The sections of tests; none if the process has no table of tests.
  var testSections: [(tag: String, payload: [UInt8])] {
    var sections: [(tag: String, payload: [UInt8])] = []
    if capture.listsTests { sections.append(("TEST", testsPayload)) }
    if capture.tests.contains(where: \.isEvaluated) { sections.append(("EVAL", evaluatedPayload)) }
    sections += capture.testFindings.map { ("FIND", $0.payload) }
    if !capture.scopeParents.isEmpty { sections.append(("SCOP", scopesPayload)) }
    if !capture.knownIssueScopes.isEmpty { sections.append(("KNOW", knownIssueScopesPayload)) }
    return sections
  }

  private var testsPayload: [UInt8] {
    ByteWriter.bytes { for test in capture.tests { test.write(to: &$0) } }
  }

  private var evaluatedPayload: [UInt8] {
    ByteWriter.bytes {
      for (index, test) in capture.tests.enumerated() where test.isEvaluated { $0.u32(UInt32(index + 1)) }
    }
  }

  private var knownIssueScopesPayload: [UInt8] {
    ByteWriter.bytes {
      for (scope, end) in capture.knownIssueScopes.sorted(by: { $0.key < $1.key }) {
        $0.u32(scope)
        $0.u32(0)
        $0.u64(end)
      }
    }
  }

  private var scopesPayload: [UInt8] {
    ByteWriter.bytes {
      for (scope, parent) in capture.scopeParents.sorted(by: { $0.key < $1.key }) {
        $0.u32(scope)
        $0.u32(parent)
      }
    }
  }
}

// MARK: - Journals

extension CaptureBuilder {
  /// The journal of tests of a crashed process, without a capture at its end.
  ///
  /// - Parameter running: the tests, as indices, that have not come to their end.
  public func journal(running: [Int] = []) -> [UInt8] {
    var sections: [(tag: String, payload: [UInt8])] = [("JRNL", [])]
    sections += self.sections.filter { ["PROC", "STAT"].contains($0.tag) }
    for (index, test) in capture.tests.enumerated() {
      let number = ByteWriter.bytes { $0.u32(UInt32(index + 1)) }
      sections.append(("BEGN", number + ByteWriter.bytes(test.write)))
      sections += capture.testFindings.filter { $0.test == index }.map { ("FIND", $0.payload) }
      if !running.contains(index) { sections.append(("DONE", number + ByteWriter.bytes(test.writeEnd))) }
    }
    return Self.stream(sections, hasEnd: false)
  }
}

extension TestDescription {
  fileprivate func write(to writer: inout ByteWriter) {
    for word in [library.rawValue, outcome.rawValue, scope, line] { writer.u32(word) }
    writer.u64(sequenceNumbers.lowerBound)
    writer.u64(sequenceNumbers.upperBound)
    for text in [id, arguments, file] { writer.string(text) }
  }

  fileprivate func writeEnd(to writer: inout ByteWriter) {
    for word in [outcome.rawValue, isEvaluated ? 1 : 0, 0] { writer.u32(word) }
    writer.u64(sequenceNumbers.upperBound)
  }
}

extension TestFinding {
  fileprivate var payload: [UInt8] { ByteWriter.bytes { $0.u32(UInt32(test + 1)) } + bytes }
}
