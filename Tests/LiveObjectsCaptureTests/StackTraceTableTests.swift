import CaptureFixtures
import LiveObjectsCapture
import Testing

@Suite struct StackTraceTableTests {
  @Test func aTraceContinuesInItsParent() throws {
    var builder = CaptureBuilder()
    let outer = builder.stackTrace([1, 2, 3, 4])
    let inner = builder.stackTrace([10, 11], continuing: outer, taking: 2)
    let innermost = builder.stackTrace([20], continuing: inner, taking: 3)
    let table = try decodedTable(of: builder)
    #expect(offsets(table[outer]) == [1, 2, 3, 4])
    #expect(offsets(table[inner]) == [10, 11, 3, 4])
    #expect(offsets(table[innermost]) == [20, 11, 3, 4])
  }

  @Test func anUnknownTraceIsEmpty() {
    #expect(StackTraceTable()[0].isEmpty)
    #expect(StackTraceTable()[7].isEmpty)
  }

  @Test func idsMayHaveGaps() {
    var table = StackTraceTable()
    for id: UInt32 in [1, 2, 5, 9] { table[id] = [Frame(image: 0, offset: UInt64(id * 10))] }
    #expect(table[3].isEmpty && table[10].isEmpty)
    #expect([1, 2, 5, 9].map { offsets(table[$0]) } == [[10], [20], [50], [90]])
  }

  @Test func onlyTheInnermostFramesAreReturned() throws {
    var builder = CaptureBuilder(tracking: TrackingStatus(state: .tracking, depth: 3))
    let outer = builder.stackTrace([1, 2, 3, 4])
    let inner = builder.stackTrace([10, 11], continuing: outer, taking: 4)
    let table = try decodedTable(of: builder)
    #expect(offsets(table[outer]) == [1, 2, 3])
    #expect(offsets(table[inner]) == [10, 11, 1])
  }

  @Test func framesOutsideAllImagesKeepTheirAddress() throws {
    var builder = CaptureBuilder()
    let trace = builder.stackTrace([Frame(image: nil, offset: 0x7fff_1234_5678), Frame(image: 0, offset: 9)])
    #expect(
      try decodedTable(of: builder)[trace] == [
        Frame(image: nil, offset: 0x7fff_1234_5678), Frame(image: 0, offset: 9),
      ])
  }

  /// Compares with traces that were assembled when they were built, for random trees of traces.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func randomTreesOfTracesAreReconstructed(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var builder = CaptureBuilder(tracking: TrackingStatus(state: .tracking, depth: 512))
    for id: UInt32 in 1...300 {
      let parent = UInt32.random(in: 0..<id, using: &random)
      let inherited = Int.random(in: 0...builder.capture.stackTraces[parent].count, using: &random)
      let own = (0..<Int.random(in: 0...4, using: &random)).map { _ in random.next() >> 20 }
      _ = builder.stackTrace(own, continuing: parent, taking: inherited)
    }
    let table = try decodedTable(of: builder)
    for id: UInt32 in 1...300 { #expect(table[id] == builder.capture.stackTraces[id]) }
  }

  /// Each trace continues in the one before, so a reader that followed every link would take
  /// minutes, and one that wrote all traces out a gigabyte.
  @Test func aLongChainOfTracesIsReadInLinearTime() throws {
    var builder = CaptureBuilder(tracking: TrackingStatus(state: .tracking, depth: 512))
    let root = builder.stackTrace(Array(1...500))
    let count: UInt32 = 100_000
    builder.stackTraceRecords += (root + 1...count).map {
      StackTraceRecord(id: $0, parent: $0 - 1, inherited: 500, own: [Frame(image: 0, offset: UInt64($0))])
    }
    let table = try decodedTable(of: builder)
    for id in (root + 1...count).reversed().prefix(1000) {
      #expect(table[id].first?.offset == UInt64(id))
      #expect(table[id].count == 501)
    }
  }

  @Test(arguments: [
    StackTraceRecord(id: 0, own: []),
    StackTraceRecord(id: 1, own: []),
    StackTraceRecord(id: 2, parent: 2, inherited: 1, own: []),
    StackTraceRecord(id: 2, parent: 3, own: []),
    StackTraceRecord(id: 2, parent: 1, inherited: 3, own: []),
    StackTraceRecord(id: 2, parent: 0, inherited: 1, own: []),
    StackTraceRecord(id: 2, own: [Frame(image: 1, offset: 0)]),
    StackTraceRecord(id: 2, own: [Frame](repeating: Frame(image: 0, offset: 0), count: 1025)),
  ])
  func anInvalidTraceIsAnError(record: StackTraceRecord) throws {
    var builder = CaptureBuilder()
    _ = builder.stackTrace([1, 2])
    _ = try Capture(decoding: builder.bytes)
    builder.stackTraceRecords.append(record)
    #expect(throws: CaptureError.self) { try Capture(decoding: builder.bytes) }
  }

  private func decodedTable(of builder: CaptureBuilder) throws -> StackTraceTable {
    try Capture(decoding: builder.bytes).stackTraces
  }

  private func offsets(_ trace: [Frame]) -> [UInt64] { trace.map(\.offset) }
}
