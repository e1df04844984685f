import CaptureFixtures
import LiveObjectsCapture
import Testing

@testable import LiveObjectsAnalysis

@Suite struct TypeCountTests {
  @Test func unnamedTypesCountAsOneAndStorageIsNotTheProgramsOwn() throws {
    var builder = CaptureBuilder()
    let types = [
      builder.type("", kind: .closureContextOrBox, image: nil, captureCount: 2),
      builder.type("", kind: .closureContextOrBox, image: nil, captureCount: 3),
      builder.type("Swift.Array", image: nil),
    ]
    builder.counts(types.map { CountedType(type: $0, objects: 2, bytes: UInt64(100 * ($0 + 1))) })
    let counts = builder.capture.typeCounts
    #expect(counts.map(\.type) == ["Swift.Array", "closure context or box"].sorted { $0 < $1 })
    #expect(counts.map(\.instances).sorted() == [2, 4])
    #expect(!counts.contains { $0.isUserDefined })
  }

  @Test func sumsBeyondAllNumbersAreClamped() {
    var builder = CaptureBuilder()
    let types = [
      builder.type("", kind: .closureContextOrBox, image: nil),
      builder.type("", kind: .closureContextOrBox, image: nil),
    ]
    builder.counts(types.map { CountedType(type: $0, objects: .max, bytes: .max) })
    #expect(builder.capture.typeCounts.map(\.bytes) == [.max])
  }
}
