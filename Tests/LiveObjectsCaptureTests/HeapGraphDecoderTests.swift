import CaptureFixtures
import Testing

@testable import LiveObjectsCapture

@Suite struct HeapGraphDecoderTests {
  @Test func allWrittenFieldsAreRead() throws {
    let written = try #require(makeSampleCapture().capture.graph)
    let read = try #require(try Capture(decoding: makeSampleCapture().bytes).graph)

    #expect(read.status == written.status)
    #expect(read.superclasses == written.superclasses)
    #expect(read.labels == written.labels)
    #expect(read.functions == written.functions)
    #expect(read.references == written.references)
    #expect(read.elementCounts == written.elementCounts)
    #expect(read.roots == written.roots)
    #expect(read.tasks == written.tasks)
    #expect(read.retainSites == written.retainSites)
  }

  @Test func withoutReferencesThereIsNoGraph() throws {
    let objects = makeSampleCapture().sections.filter { !heapGraphTags.contains($0.tag) }
    #expect(try Capture(decoding: CaptureBuilder.stream(objects)).graph == nil)
  }

  @Test func anUnreadableHeapHasAReason() throws {
    var builder = CaptureBuilder()
    builder.heapGraph(HeapGraph.Status(wasRead: false, notes: ["No memory for a copy."]))
    let graph = try #require(try Capture(decoding: builder.bytes).graph)
    #expect(!graph.status.wasRead)
    #expect(graph.status.notes == ["No memory for a copy."])
  }

  /// A writer flushes what it has whenever its buffer is full.
  @Test(arguments: [("REFS", 20), ("ROOT", 24), ("LEDG", 16), ("FUNC", 8)])
  func sectionsOfEqualTagsAreConcatenated(tag: String, size: Int) throws {
    var sections = makeSampleCapture().sections
    let index = try #require(sections.firstIndex { $0.tag == tag })
    let payload = sections.remove(at: index).payload
    for start in stride(from: 0, to: payload.count, by: size).reversed() {
      sections.insert((tag, Array(payload[start..<start + size])), at: index)
    }
    let read = try #require(try Capture(decoding: CaptureBuilder.stream(sections)).graph)
    let written = makeSampleCapture().capture.graph
    #expect(read.references == written?.references)
    #expect(read.roots == written?.roots)
    #expect(read.retainSites == written?.retainSites)
    #expect(read.functions == written?.functions)
  }
}

/// Heap graphs that no recorder wrote. Six objects, three types, two images, five labels and one
/// function are there.
@Suite struct HostileHeapGraphTests {
  @Test func theStatusOccursExactlyOnce() {
    let sections = makeSampleCapture().sections
    let status = sections.filter { $0.tag == "GRPH" }
    #expect(isDamaged(CaptureBuilder.stream(sections + status)))
    #expect(isDamaged(CaptureBuilder.stream(sections.filter { $0.tag != "GRPH" })))
  }

  @Test(arguments: [0, 3, UInt32.max])
  func anUnknownStateIsAnError(state: UInt32) {
    #expect(isDamaged(makeStream(replacing: "GRPH", with: words(state, 1, 0, 0, 0, 0))))
  }

  @Test func referencesOfAnUnreadHeapAreAnError() {
    #expect(isDamaged(makeStream(replacing: "GRPH", with: words(2, 1, 0, 0, 0, 0))))
  }

  @Test func theGraphFollowsTheObjects() {
    let sections = makeSampleCapture().sections
    let (graph, rest) = (
      sections.filter { heapGraphTags.contains($0.tag) }, sections.filter { !heapGraphTags.contains($0.tag) }
    )
    #expect(isDamaged(CaptureBuilder.stream(graph + rest)))
  }

  /// Source, target, label, element, function.
  @Test(
    arguments: [
      [6, 0, 1, 0, 0], [.max, 0, 1, 0, 0], [0, 6, 1, 0, 0], [0, .max, 1, 0, 0], [0, 1, 0, 0, 0],
      [0, 1, 6, 0, 0], [0, 1, .max, 0, 0], [0, 1, 1, 0, 2], [0, 1, 1, 0, .max],
    ] as [[UInt32]])
  func aReferenceOutOfRangeIsAnError(fields: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "REFS", with: words(fields))))
  }

  @Test func aReferenceToAMissingFunctionIsAnError() {
    let sections = makeSampleCapture().sections.filter { $0.tag != "FUNC" }
    #expect(isDamaged(CaptureBuilder.stream(sections)))
  }

  @Test func referencesMustBeSortedBySource() {
    let (first, second) = (words(3, 0, 1, .max, 0), words(2, 0, 1, .max, 0))
    var sections = makeSampleCapture().sections.filter { $0.tag != "REFS" }
    #expect(isDamaged(CaptureBuilder.stream(sections + [("REFS", first + second)])))
    sections.append(("REFS", first))
    #expect(decodingError(CaptureBuilder.stream(sections)) == nil)
    sections.append(("REFS", second))
    #expect(isDamaged(CaptureBuilder.stream(sections)))
  }

  @Test func wordsAreReferencesInTheOrderOfTheirSources() throws {
    var sections = makeSampleCapture().sections
    sections.append(("WORD", words([5, 0, 1, .max, 0]) + words([0, 5, 1, .max, 0])))
    let read = try #require(try Capture(decoding: CaptureBuilder.stream(sections)).graph?.references)
    let written = try #require(makeSampleCapture().capture.graph?.references)
    #expect(read.count == written.count + 2)
    #expect(read.filter(written.contains) == written)
    #expect(read.map(\.source) == read.map(\.source).sorted())
  }

  /// Id, kind, ownership.
  @Test(
    arguments: [
      [2, 1, 1], [0, 1, 1], [1, 0, 1], [1, 13, 1], [1, 1, 0], [1, 1, 6],
    ] as [[UInt32]])
  func anInvalidLabelIsAnError(fields: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "LABL", with: words(fields + [0]))))
  }

  @Test(arguments: [[0, 0], [4, 0], [.max, 0], [1, 0, 1, 0]] as [[UInt32]])
  func superclassesOfAMissingTypeOrTwiceAreAnError(fields: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "SUPR", with: words(fields))))
  }

  @Test func aFunctionInAMissingImageIsAnError() {
    let function = ByteWriter.bytes { $0.frame(Frame(image: 2, offset: 0)) }
    #expect(isDamaged(makeStream(replacing: "FUNC", with: function)))
  }

  @Test(arguments: [6, UInt32.max])
  func aLostBufferThatIsMissingIsAnError(object: UInt32) {
    #expect(isDamaged(makeStream(replacing: "LOST", with: words(object))))
  }

  /// Object and block; the sample has one block.
  @Test(arguments: [[6, 0], [0, 1], [0, .max]] as [[UInt32]])
  func anInvalidBlockIsAnError(fields: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "BLCK", with: words(fields + [64, 0]))))
  }

  /// Kind, target, and the image of the place.
  @Test(
    arguments: [
      (0, 0, 0), (6, 0, 0), (1, 6, 0), (2, 6, 0), (1, 0, 2), (5, 0, 2),
    ] as [(UInt32, UInt32, Int)])
  func anInvalidRootIsAnError(kind: UInt32, target: UInt32, image: Int) {
    let root = ByteWriter.bytes {
      $0.u32(kind)
      $0.u32(target)
      $0.frame(Frame(image: image, offset: 0))
      $0.u64(0)
    }
    #expect(isDamaged(makeStream(replacing: "ROOT", with: root)))
  }

  /// Object, state, reason to wait, flags, frame count.
  @Test(
    arguments: [
      [6, 0, 0, 0, 0], [0, 5, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, .max],
    ] as [[UInt32]])
  func anInvalidTaskIsAnError(fields: [UInt32]) {
    #expect(isDamaged(makeStream(replacing: "TASK", with: words(fields))))
  }

  @Test func aTaskFrameInAMissingImageIsAnError() {
    let frame = ByteWriter.bytes { $0.frame(Frame(image: 2, offset: 0)) }
    #expect(isDamaged(makeStream(replacing: "TASK", with: words(0, 0, 0, 0, 1) + frame)))
  }

  @Test(arguments: [6, UInt32.max])
  func retainsOfAMissingObjectAreAnError(object: UInt32) {
    #expect(isDamaged(makeStream(replacing: "LEDG", with: words(object, 1, 1, 1))))
  }

  private func words(_ values: UInt32...) -> [UInt8] { words(values) }

  private func words(_ values: [UInt32]) -> [UInt8] {
    ByteWriter.bytes { for value in values { $0.u32(value) } }
  }
}

private let heapGraphTags: Set = [
  "GRPH", "SUPR", "LABL", "FUNC", "REFS", "ELEM", "BLCK", "LOST", "ROOT", "WORD", "TASK", "LEDG",
]
