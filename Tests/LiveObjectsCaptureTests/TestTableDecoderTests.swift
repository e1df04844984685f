import CaptureFixtures
import LiveObjectsCapture
import Testing

@Suite struct TestTableDecoderTests {
  @Test func aTestThatEndsBeforeItBeginsIsAnError() {
    #expect(isDamaged(makeStream(replacing: "TEST", with: test(first: 8, end: 7))))
    #expect(decodingError(makeStream(replacing: "TEST", with: test(first: 8, end: 8))) == nil)
  }

  @Test(arguments: [[5, 5], [5, 6], [5, 0], [0, 0]] as [[UInt32]])
  func aScopeWithAParentThatIsNotOlderIsAnError(scope: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "SCOP", with: scopes([scope]))))
  }

  @Test func aScopeWithTwoParentsIsAnError() {
    #expect(isDamaged(makeStream(replacing: "SCOP", with: scopes([[5, 1], [6, 1], [5, 2]]))))
  }

  @Test func scopeZeroCannotBeAKnownIssue() {
    #expect(isDamaged(makeStream(replacing: "KNOW", with: known([(5, 1), (0, 1)]))))
  }

  @Test func aScopeMarkedTwiceIsKnownUntilTheLaterEnd() throws {
    let payload = known([(5, 7), (9, 1), (5, 6)])
    #expect(
      try Capture(decoding: makeStream(replacing: "KNOW", with: payload)).knownIssueScopes == [5: 7, 9: 1])
  }

  @Test(arguments: [0, 3, UInt32.max])
  func aTestOfAnUnknownLibraryIsSkipped(library: UInt32) throws {
    let payload = test(library: library) + test(id: "Demo.Tests/testNext")
    let capture = try Capture(decoding: makeStream(replacing: "TEST", with: payload))
    #expect(capture.tests.map(\.id) == ["Demo.Tests/testNext"])
  }

  @Test func anEmptyTableMeansThatNoTestRan() throws {
    var builder = CaptureBuilder()
    #expect(try !Capture(decoding: builder.bytes).listsTests)
    builder.listTests()
    #expect(try Capture(decoding: builder.bytes).listsTests)
    #expect(try Capture(decoding: builder.bytes).tests.isEmpty)
  }

  @Test func aTestWithAnUnknownOutcomeCountsAsPassed() throws {
    let capture = try Capture(decoding: makeStream(replacing: "TEST", with: test(outcome: 9)))
    #expect(capture.tests.map(\.outcome) == [.passed])
  }

  // MARK: - Findings of tests

  @Test func findingsOfTestsAreReadAsWritten() throws {
    let sample = makeSampleCapture()
    let capture = try Capture(decoding: sample.bytes)
    #expect(capture.testFindings == sample.capture.testFindings)
    #expect(capture.testFindings.map(\.test) == [1])
    #expect(capture.tests.map(\.isEvaluated) == [true, false])
    #expect(!capture.isJournal)
  }

  @Test(arguments: [0, 3, UInt32.max])
  func findingsOfAMissingTestAreSkipped(number: UInt32) throws {
    let numbers = ByteWriter.bytes { $0.u32(number) }
    let finding = numbers + TestFinding(test: 0, objects: [], content: []).bytes
    #expect(try Capture(decoding: makeStream(replacing: "FIND", with: finding)).testFindings.isEmpty)
    let capture = try Capture(decoding: makeStream(replacing: "EVAL", with: numbers))
    #expect(capture.tests.allSatisfy { !$0.isEvaluated })
  }

  @Test func missingObjectsAreAnError() {
    #expect(isDamaged(makeStream(replacing: "FIND", with: ByteWriter.bytes { $0.u64(2 | 7 << 32) })))
  }

  // MARK: - Journals

  @Test func aJournalContainsTheTestsBeforeACrash() throws {
    let sample = makeSampleCapture()
    let capture = try Capture(decoding: sample.journal(running: [1]))
    #expect(capture.isJournal && capture.listsTests)
    #expect(capture.process == sample.capture.process)
    #expect(capture.tests.map(\.id) == sample.capture.tests.map(\.id))
    #expect(capture.tests.map(\.outcome) == [.failed, .leaked])
    #expect(capture.tests.map(\.isEvaluated) == [true, false])
    #expect(capture.testFindings == sample.capture.testFindings)
  }

  @Test func recordsOfSeveralThreadsComeInAnyOrder() throws {
    let begun = ["second", "first"].enumerated().map { index, name in
      ("BEGN", ByteWriter.bytes { $0.u32(UInt32(2 - index)) } + test(outcome: 0, id: name))
    }
    let closed = ("DONE", ByteWriter.bytes { for word: UInt32 in [1, 1, 0, 0, 9, 0] { $0.u32(word) } })
    let process = makeSampleCapture().sections.prefix(2)
    let capture = try Capture(
      decoding: CaptureBuilder.stream([("JRNL", [])] + process + begun + [closed], hasEnd: false))
    #expect(capture.tests.map(\.id) == ["second", "first"])
    #expect(capture.tests.map(\.outcome) == [.running, .passed])
    #expect(capture.tests.map(\.sequenceNumbers) == [1..<2, 1..<9])
  }

  @Test func aTruncatedJournalIsReadUpToItsEnd() throws {
    let bytes = makeSampleCapture().journal()
    let process = try #require((0..<bytes.count).first { decodingError(Array(bytes[..<$0])) == nil })
    for count in process..<bytes.count {
      let capture = try Capture(decoding: Array(bytes[..<count]))
      #expect(capture.isJournal, "cut after \(count) bytes")
    }
  }

  @Test func aCaptureOfTheSameProcessReplacesTheJournal() throws {
    let sample = makeSampleCapture()
    let captures = try ReadableCaptures(in: sample.journal() + sample.bytes).all()
    #expect(captures.map(\.isJournal) == [false])
    #expect(captures.map(\.tests.count) == [2])
  }

  @Test func aJournalBeforeCapturesOfOtherProcessesIsKept() throws {
    let other = CaptureBuilder(processID: 99)
    let bytes = makeSampleCapture().journal() + other.journal() + other.bytes
    let captures = try ReadableCaptures(in: bytes).all()
    #expect(captures.map(\.isJournal) == [true, false])
  }

  @Test func aJournalIsKeptIfTheCaptureIsTruncated() throws {
    let sample = makeSampleCapture()
    for count in [8, 100, sample.bytes.count - 1] {
      let captures = try ReadableCaptures(in: sample.journal() + sample.bytes[..<count]).all()
      #expect(captures.map(\.isJournal) == [true])
    }
  }

  private func test(
    library: UInt32 = 1, outcome: UInt32 = 1, first: UInt64 = 1, end: UInt64 = 2,
    id: String = "Demo.Tests/testOne"
  ) -> [UInt8] {
    ByteWriter.bytes {
      for word in [library, outcome, 0, 0] { $0.u32(word) }
      for mark in [first, end] { $0.u64(mark) }
      for text in [id, "", ""] { $0.string(text) }
    }
  }

  private func known(_ records: [(scope: UInt32, end: UInt64)]) -> [UInt8] {
    ByteWriter.bytes {
      for record in records {
        $0.u32(record.scope)
        $0.u32(0)
        $0.u64(record.end)
      }
    }
  }

  private func scopes(_ records: [[UInt32]]) -> [UInt8] {
    ByteWriter.bytes { for word in records.joined() { $0.u32(word) } }
  }
}
