import CaptureFixtures
import Testing

@testable import LiveObjectsCapture

/// Captures that no recorder wrote.
@Suite struct HostileCaptureTests {
  @Test func aCaptureTruncatedAtAnyByteIsAnErrorThere() {
    let bytes = makeSampleCapture().bytes
    for count in 1..<bytes.count {
      let error = decodingError(Array(bytes[..<count]))
      #expect(error?.reason == .cutOff, "cut after \(count) bytes")
      #expect((0...count).contains(error?.offset ?? -1))
    }
  }

  @Test func aTruncatedSecondCaptureIsAnErrorInTheSecond() {
    let bytes = makeSampleCapture().bytes
    let error = decodingError(bytes + bytes.dropLast(9))
    #expect(error?.reason == .cutOff)
    #expect(error.map { $0.offset > bytes.count } == true)
  }

  /// Checks only that the process survives: some damage cannot be distinguished from data.
  @Test func aDamagedByteDoesNotTrap() {
    let bytes = makeSampleCapture().bytes
    var errors = 0
    for index in bytes.indices {
      for mask: UInt8 in [0x01, 0x80, 0xff] {
        var damaged = bytes
        damaged[index] ^= mask
        if decodingError(damaged) != nil { errors += 1 }
      }
    }
    #expect(errors > bytes.count / 2)
  }

  @Test func emptyInputIsAnError() {
    #expect(decodingError([]) == CaptureError(offset: 0, reason: .empty))
    #expect(decodingError(Array("{\"schemaVersion\": 1}".utf8))?.reason == .notACapture)
    #expect(decodingError([0])?.reason == .notACapture)
  }

  @Test func aNewerVersionIsNamed() {
    var bytes = makeSampleCapture().bytes
    bytes[8] = 2
    #expect(decodingError(bytes) == CaptureError(offset: 8, reason: .unsupportedVersion(2)))
  }

  @Test func bytesAfterACaptureAreAnError() {
    let bytes = makeSampleCapture().bytes
    #expect(decodingError(bytes + [1])?.offset == bytes.count)
  }

  @Test(arguments: ["PROC", "STAT"])
  func aDuplicateDescriptionIsAnError(tag: String) {
    let sections = makeSampleCapture().sections
    #expect(isDamaged(CaptureBuilder.stream(sections.filter { $0.tag != tag })))
    #expect(isDamaged(CaptureBuilder.stream(sections + sections.filter { $0.tag == tag })))
  }

  @Test func aMissingSectionIsAnError() {
    let sections = makeSampleCapture().sections
    let all = CaptureBuilder.stream(sections)
    let end = all.suffix(24)
    #expect(isDamaged(CaptureBuilder.stream(sections.dropLast()).dropLast(24) + end))
  }

  @Test func countsBeyondTheDataAreErrors() {
    let sizes: [UInt64] = [1 << 20, 1 << 40, .max >> 1, .max - 7, .max]
    for size in sizes {
      let bytes =
        makeSampleCapture().bytes.dropLast(24)
        + ByteWriter.bytes {
          $0.raw("OBJS".utf8)
          $0.u32(0)
          $0.u64(size)
        }
      #expect(decodingError(Array(bytes))?.reason == .cutOff)
    }
    let manyArguments = ByteWriter.bytes {
      for _ in 0..<8 { $0.u32(0) }
      $0.string("/app/demo")
      $0.u32(.max)
    }
    #expect(isDamaged(makeStream(replacing: "PROC", with: manyArguments)))
    let longName = ByteWriter.bytes { for word: UInt32 in [1, 1, 0, 0, .max, 0, .max] { $0.u32(word) } }
    #expect(isDamaged(makeStream(replacing: "TYPE", with: longName)))
  }

  /// A report repeats names, so that its size would be a product of theirs and the number of objects.
  @Test func longNamesAreTruncated() throws {
    var builder = CaptureBuilder()
    let type = builder.type("Demo." + String(repeating: "é", count: 1 << 20))
    builder.objects(of: type)
    builder.superclasses(of: type, (0..<100).map { "Demo.Base\($0)" })
    let capture = try Capture(decoding: builder.bytes)
    #expect((4000...4100).contains(capture.types[0].name.utf8.count))
    #expect(capture.types[0].name.hasPrefix("Demo.éé"))
    #expect(capture.graph?.superclasses[0]?.count == 64)
  }

  @Test func halfARecordIsAnError() {
    for section in makeSampleCapture().sections {
      let cut = section.payload.dropLast(2)
      #expect(isDamaged(makeStream(replacing: section.tag, with: Array(cut))), "\(section.tag)")
    }
  }

  @Test(arguments: [0, 4, UInt32.max])
  func anObjectOfAnUnknownTypeIsAnError(type: UInt32) {
    let object = ByteWriter.bytes {
      for _ in 0..<3 { $0.u64(1) }
      for word: UInt32 in [type, 0, 0, 0, 0, 0] { $0.u32(word) }
    }
    #expect(isDamaged(makeStream(replacing: "OBJS", with: object)))
  }

  /// Id, kind and image of a type, with two images there.
  @Test(
    arguments: [[2, 1, 0], [0, 1, 0], [1, 0, 0], [1, 8, 0], [1, 1, 2], [1, 1, 0xffff_fffe]] as [[UInt32]])
  func anInvalidTypeIsAnError(fields: [UInt32]) {
    let type = ByteWriter.bytes {
      for word in [fields[0], fields[1], 0, 0, fields[2], 0, 0] { $0.u32(word) }
    }
    #expect(isDamaged(makeStream(replacing: "TYPE", with: type)))
  }

  @Test func anInvalidImageIsAnError() {
    func image(id: UInt32, first: UInt64, end: UInt64) -> [UInt8] {
      ByteWriter.bytes {
        $0.u32(id)
        $0.u32(0)
        for address in [0, first, end] { $0.u64(address) }
        $0.byteString([])
        $0.string("/app/demo")
      }
    }
    #expect(isDamaged(makeStream(replacing: "IMAG", with: image(id: 1, first: 0, end: 1))))
    #expect(isDamaged(makeStream(replacing: "IMAG", with: image(id: 0, first: 2, end: 1))))
  }
}
