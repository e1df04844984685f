import CaptureFixtures
import Testing

@testable import LiveObjectsCapture

@Suite struct CaptureDecoderTests {
  @Test func allWrittenFieldsAreRead() throws {
    let written = makeSampleCapture()
    let read = try Capture(decoding: written.bytes)

    #expect(read.process == written.capture.process)
    #expect(read.tracking == written.capture.tracking)
    #expect(read.images == written.capture.images)
    #expect(read.types == written.capture.types)
    #expect(read.objects == written.capture.objects)
    #expect(read.tests == written.capture.tests)
    #expect(read.scopeParents == written.capture.scopeParents)
    #expect(read.knownIssueScopes == written.capture.knownIssueScopes)
    for id: UInt32 in 0...4 {
      #expect(read.stackTraces[id] == written.capture.stackTraces[id])
    }
  }

  @Test func countsOfTypesAreRead() throws {
    var written = CaptureBuilder()
    let type = written.type("Demo.Session")
    #expect(try Capture(decoding: written.bytes).countedTypes == nil)
    written.counts([])
    #expect(try Capture(decoding: written.bytes).countedTypes == [])
    let count = CountedType(type: type, objects: 3, bytes: 96)
    written.counts([count], time: 1_700_000_000_000_000_000)
    let read = try Capture(decoding: written.bytes)
    #expect(read.countedTypes == [count])
    #expect(read.process.time == 1_700_000_000_000_000_000)
  }

  @Test func aCountOfAnUnknownTypeIsDamage() {
    var written = CaptureBuilder()
    written.counts([CountedType(type: 0, objects: 1, bytes: 1)])
    #expect(throws: CaptureError.self) { try Capture(decoding: written.bytes) }
  }

  /// Sums of estimates would overflow.
  @Test func aSampleSizeThatNoOptionHasIsDamage() {
    var written = CaptureBuilder()
    written.sample(every: 1 << 30 + 1)
    #expect(throws: CaptureError.self) { try Capture(decoding: written.bytes) }
  }

  @Test func sectionsOfEqualTagsAreConcatenated() throws {
    var sections = makeSampleCapture().sections
    let objects = sections.remove(at: 4).payload
    for start in stride(from: 0, to: objects.count, by: 48).reversed() {
      sections.insert(("OBJS", Array(objects[start..<start + 48])), at: 4)
    }
    let read = try Capture(decoding: CaptureBuilder.stream(sections))
    #expect(read.objects == makeSampleCapture().capture.objects)
  }

  @Test func unknownSectionsAreSkipped() throws {
    var sections = makeSampleCapture().sections
    sections.insert(("NEW!", [1, 2, 3]), at: 2)
    let read = try Capture(decoding: CaptureBuilder.stream(sections))
    #expect(read.objects.count == 6)
  }

  @Test func aLongerHeaderIsSkipped() throws {
    var bytes = makeSampleCapture().bytes
    bytes[12] = 24
    bytes.insert(contentsOf: [UInt8](repeating: 7, count: 8), at: 16)
    #expect(try Capture(decoding: bytes).objects.count == 6)
  }

  @Test func aFileMayContainSeveralCaptures() throws {
    var other = CaptureBuilder(processID: 99)
    other.objects(of: other.type("Demo.Other"))
    let captures = try ReadableCaptures(in: makeSampleCapture().bytes + other.bytes).all()
    #expect(captures.map(\.process.id) == [12, 99])
    #expect(captures.map(\.objects.count) == [6, 1])
  }

  @Test func onePieceOfALargeFileIsInMemoryAtATime() throws {
    let written = makeLargeCapture()
    let bytes = written.bytes
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count / 2, alignment: 1)
    defer { memory.deallocate() }
    let file = FileBytes(count: bytes.count) { range in
      memory.copyBytes(from: bytes[range])
      return UnsafeRawBufferPointer(rebasing: memory[..<range.count])
    }
    let read = try #require(try ReadableCaptures(in: file).all().first)
    #expect(read.objects == written.capture.objects)
    #expect(read.graph?.references == written.capture.graph?.references)
  }

  @Test func aFileThatBecomesShorterIsCutOff() throws {
    let bytes = makeLargeCapture().bytes
    let failure = bytes.withUnsafeBytes { bytes in
      var count = bytes.count
      let file = FileBytes(count: count) { range in
        // The end is read once, before the content of any section.
        defer { if range.upperBound == bytes.count { count = 2_000_000 } }
        return UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<count)])
      }
      return ReadableCaptures(in: file).failure
    }
    #expect(failure == CaptureError(offset: 2_000_000, reason: .cutOff))
  }

  @Test func malformedUTF8IsRepaired() throws {
    let type = ByteWriter.bytes {
      for word: UInt32 in [1, 1, 0, 0, .max, 0] { $0.u32(word) }
      $0.byteString(Array("Demo.".utf8) + [0xff, 0xc0])
    }
    let sections = CaptureBuilder().sections + [("TYPE", type)]
    let read = try Capture(decoding: CaptureBuilder.stream(sections))
    #expect(read.types[0].name == "Demo.\u{fffd}\u{fffd}")
  }
}

/// A capture with sections that are decoded in several pieces, and the last one in part.
private func makeLargeCapture() -> CaptureBuilder {
  var builder = CaptureBuilder()
  let objects = builder.objects(50_000, of: builder.type("Demo.Node"))
  let label = builder.label(ReferenceLabel(.property, text: "next"))
  builder.references(
    objects.map { Reference(from: UInt32($0), to: UInt32(objects.upperBound - 1 - $0), label: label) })
  return builder
}
