/// The tests of a process with their findings, the scopes with their parents, and known issues.
extension CaptureDecoder {
  /// - Returns: false for a section of another kind; nothing was read then.
  mutating func decodeTests(_ tag: String, _ reader: inout ByteReader) throws(CaptureError) -> Bool {
    switch tag {
    case "TEST":
      capture.listsTests = true
      while !reader.isAtEnd {
        lastTest += 1
        try decodeTest(lastTest, &reader)
      }
    case "SCOP": while !reader.isAtEnd { try decodeScope(&reader) }
    case "KNOW": while !reader.isAtEnd { try decodeKnownIssueScope(&reader) }
    case "EVAL": while !reader.isAtEnd { change(try reader.u32()) { $0.isEvaluated = true } }
    case "FIND": try decodeFinding(&reader)
    case "JRNL": (capture.isJournal, capture.listsTests) = (true, true)
    case "BEGN": try decodeTest(try reader.u32(), &reader)
    case "DONE": try decodeClosedTest(&reader)
    default: return false
    }
    return true
  }

  /// A test of an unknown library is skipped.
  private mutating func change(_ number: UInt32, _ change: (inout TestDescription) -> Void) {
    if let index = testIndices[number] { change(&capture.tests[index]) }
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
    testIndices[number] = capture.tests.count
    capture.tests.append(
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
    let finding = try TestFinding(test: testIndices[number] ?? -1, &reader)
    if finding.test >= 0 { capture.testFindings.append(finding) }
  }

  /// Every parent is smaller than its scope, so that no chain of them leads back to where it began.
  private mutating func decodeScope(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (scope, parent) = (try reader.u32(), try reader.u32())
    guard 0 < parent, parent < scope else {
      throw .damage(at: start, "a scope lies in one that is not before it")
    }
    guard capture.scopeParents.updateValue(parent, forKey: scope) == nil else {
      throw .damage(at: start, "a scope lies in two others")
    }
  }

  /// Scope 0 is that of objects without a scope.
  private mutating func decodeKnownIssueScope(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (scope, _, end) = (try reader.u32(), try reader.u32(), try reader.u64())
    guard scope > 0 else { throw .damage(at: start, "scope 0 is marked as a known issue") }
    capture.knownIssueScopes[scope] = max(end, capture.knownIssueScopes[scope] ?? 0)
  }
}
