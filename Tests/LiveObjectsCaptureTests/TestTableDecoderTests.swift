import CaptureFixtures
import LiveObjectsCapture
import Testing

@Suite struct TestTableDecoderTests {
  @Test func aTestThatEndsBeforeItBeginsIsAnError() {
    #expect(isDamaged(makeStream(replacing: "TEST", with: test(first: 8, end: 7))))
    #expect(decodingError(makeStream(replacing: "TEST", with: test(first: 8, end: 8))) == nil)
  }

  @Test(arguments: [[5, 5], [5, 6], [5, 0], [0, 0]] as [[UInt32]])
  func aScopeInOneThatIsNotBeforeItIsAnError(scope: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "SCOP", with: scopes([scope]))))
  }

  @Test func aScopeInTwoOthersIsAnError() {
    #expect(isDamaged(makeStream(replacing: "SCOP", with: scopes([[5, 1], [6, 1], [5, 2]]))))
  }

  @Test func whatHasNoScopeCannotBeKnown() {
    #expect(isDamaged(makeStream(replacing: "KNOW", with: known([(5, 1), (0, 1)]))))
  }

  @Test func aScopeThatIsKnownTwiceIsKnownUpToTheLaterTime() throws {
    let payload = known([(5, 7), (9, 1), (5, 6)])
    #expect(try Capture(decoding: makeStream(replacing: "KNOW", with: payload)).knownScopes == [5: 7, 9: 1])
  }

  @Test(arguments: [0, 3, UInt32.max])
  func aTestOfAnUnknownLibraryIsPassedOverAndTheNextIsRead(library: UInt32) throws {
    let payload = test(library: library) + test(id: "Demo.Tests/testNext")
    let capture = try Capture(decoding: makeStream(replacing: "TEST", with: payload))
    #expect(capture.tests.map(\.id) == ["Demo.Tests/testNext"])
  }

  @Test func anEmptyTableSaysThatNoTestRan() throws {
    var builder = CaptureBuilder()
    #expect(try !Capture(decoding: builder.bytes).tellsTests)
    builder.tellTests()
    #expect(try Capture(decoding: builder.bytes).tellsTests)
    #expect(try Capture(decoding: builder.bytes).tests.isEmpty)
  }

  @Test func aTestWithAnUnknownOutcomeClaimsWhatItLeftBehind() throws {
    let capture = try Capture(decoding: makeStream(replacing: "TEST", with: test(outcome: 9)))
    #expect(capture.tests.map(\.outcome) == [.passed])
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
