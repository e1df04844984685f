/// Reads the tests of a process with their findings, the scopes with their parents, and known issues.
struct TestTableDecoder {
  private(set) var tests: [TestDescription] = []
  private(set) var findings: [TestFinding] = []
  /// The tests come one by one, as they ran, and there is no more than that.
  private(set) var isJournal = false
  /// Whether there is a table, possibly empty.
  private(set) var listsTests = false
  /// Every parent is smaller than its scope, so that no chain of them leads back to where it began.
  private(set) var scopeParents: [UInt32: UInt32] = [:]
  /// The sequence numbers below which their objects are known issues.
  private(set) var knownIssueScopes: [UInt32: UInt64] = [:]
  /// Indices into `tests`, by the numbers that the recorder gave them.
  private var indices: [UInt32: Int] = [:]
  private var lastNumber: UInt32 = 0

  /// - Returns: false for a section of another kind; nothing was read then.
  mutating func decode(_ tag: Section.Tag, _ reader: inout ByteReader) throws(CaptureError) -> Bool {
    switch tag {
    case .tests:
      listsTests = true
      while !reader.isAtEnd {
        lastNumber += 1
        try decodeTest(lastNumber, &reader)
      }
    case .scopes: while !reader.isAtEnd { try decodeScope(&reader) }
    case .knownIssueScopes: while !reader.isAtEnd { try decodeKnownIssueScope(&reader) }
    case .evaluatedTests: while !reader.isAtEnd { change(try reader.u32()) { $0.isEvaluated = true } }
    case .testFindings: try decodeFinding(&reader)
    case .journal: (isJournal, listsTests) = (true, true)
    case .begunTests: try decodeTest(try reader.u32(), &reader)
    case .closedTests: try decodeClosedTest(&reader)
    default: return false
    }
    return true
  }

  /// A test of an unknown library is skipped.
  private mutating func change(_ number: UInt32, _ change: (inout TestDescription) -> Void) {
    if let index = indices[number] { change(&tests[index]) }
  }

  /// A test of a library from a newer writer is skipped: its objects are unattributed then, and
  /// reported. For the same reason an unknown outcome counts as passed.
  private mutating func decodeTest(_ number: UInt32, _ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let library = TestDescription.Library(rawValue: try reader.u32())
    let outcome = TestDescription.Outcome(rawValue: try reader.u32()) ?? .passed
    let (scope, line) = (try reader.u32(), try reader.u32())
    let (first, end) = (try reader.u64(), try reader.u64())
    guard first <= end else { throw .damage(at: start, "a test ends before it begins") }
    let (id, arguments, file) = (try reader.string(), try reader.string(), try reader.string())
    guard let library else { return }
    indices[number] = tests.count
    tests.append(
      TestDescription(
        library: library, outcome: outcome, scope: scope, id: id, arguments: arguments, file: file,
        line: line, sequenceNumbers: first..<end))
  }

  private mutating func decodeClosedTest(_ reader: inout ByteReader) throws(CaptureError) {
    let (number, outcome) = (try reader.u32(), try reader.u32())
    let (isEvaluated, _, end) = (try reader.u32() != 0, try reader.u32(), try reader.u64())
    change(number) { test in
      test.outcome = TestDescription.Outcome(rawValue: outcome) ?? .passed
      test.isEvaluated = isEvaluated
      let first = test.sequenceNumbers.lowerBound
      test.sequenceNumbers = first..<max(first, end)
    }
  }

  /// Decodes a finding, one to a section.
  private mutating func decodeFinding(_ reader: inout ByteReader) throws(CaptureError) {
    let number = try reader.u32()
    let finding = try TestFinding(test: indices[number] ?? -1, &reader)
    if finding.test >= 0 { findings.append(finding) }
  }

  private mutating func decodeScope(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (scope, parent) = (try reader.u32(), try reader.u32())
    guard 0 < parent, parent < scope else {
      throw .damage(at: start, "a scope lies in one that is not before it")
    }
    guard scopeParents.updateValue(parent, forKey: scope) == nil else {
      throw .damage(at: start, "a scope lies in two others")
    }
  }

  /// Scope 0 is that of objects without a scope.
  private mutating func decodeKnownIssueScope(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (scope, _, end) = (try reader.u32(), try reader.u32(), try reader.u64())
    guard scope > 0 else { throw .damage(at: start, "scope 0 is marked as a known issue") }
    knownIssueScopes[scope] = max(end, knownIssueScopes[scope] ?? 0)
  }
}
