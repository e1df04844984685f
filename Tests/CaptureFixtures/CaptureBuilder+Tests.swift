import LiveObjectsCapture

extension CaptureBuilder {
  /// A test that makes the objects which `body` makes.
  ///
  /// - Parameters:
  ///   - scope: the scope of its objects; 0 for a test that owns all objects made while it runs.
  ///   - body: is handed the builder and the scope.
  /// - Returns: an index into `Capture.tests`.
  @discardableResult
  public mutating func test(
    _ id: String, arguments: String = "", _ outcome: TestDescription.Outcome = .passed, scope: UInt32 = 0,
    body: (inout CaptureBuilder, UInt32) -> Void = { _, _ in }
  ) -> Int {
    tellTests()
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

  /// The process announces its tests, be there any or not.
  public mutating func tellTests() { capture.tellsTests = true }

  /// The test that began last makes no more objects; those made since it began are its own.
  public mutating func endTest() {
    let index = capture.tests.count - 1
    let first = capture.tests[index].sequenceNumbers.lowerBound
    capture.tests[index].sequenceNumbers = first..<capture.process.next + 1
  }

  /// - Parameter parent: the scope that `scope` was opened in.
  public mutating func scope(_ scope: UInt32, inside parent: UInt32) {
    capture.scopeParents[scope] = parent
  }

  /// An assertion has told what the scope left behind, and its test expects that.
  ///
  /// - Parameter end: the sequence number of the first object that came later.
  public mutating func knowScope(_ scope: UInt32, before end: UInt64 = .max) {
    capture.knownScopes[scope] = end
  }

  /// Where a test is declared.
  public mutating func place(ofTest index: Int, file: String, line: UInt32) {
    capture.tests[index].file = file
    capture.tests[index].line = line
  }

  /// The sections that say which tests ran; none where the process tells of none.
  var testSections: [(tag: String, payload: [UInt8])] {
    var sections: [(tag: String, payload: [UInt8])] = []
    if capture.tellsTests { sections.append(("TEST", testsPayload)) }
    if !capture.scopeParents.isEmpty { sections.append(("SCOP", scopesPayload)) }
    if !capture.knownScopes.isEmpty { sections.append(("KNOW", knownScopesPayload)) }
    return sections
  }

  private var testsPayload: [UInt8] {
    ByteWriter.bytes {
      for test in capture.tests {
        for word in [test.library.rawValue, test.outcome.rawValue, test.scope, test.line] { $0.u32(word) }
        $0.u64(test.sequenceNumbers.lowerBound)
        $0.u64(test.sequenceNumbers.upperBound)
        for text in [test.id, test.arguments, test.file] { $0.string(text) }
      }
    }
  }

  private var knownScopesPayload: [UInt8] {
    ByteWriter.bytes {
      for (scope, end) in capture.knownScopes.sorted(by: { $0.key < $1.key }) {
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
