import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@testable import LiveObjectsReport

/// Of the uses in the order of the capture: objects, behind, buffers, blocks, free, trimmed, stacks, files, mappings,
/// recorder; in megabytes.
@Suite struct MemorySummaryTests {
  private static let small: [UInt64] = [1, 1, 1, 1, 1, 0, 1, 20, 1, 4]

  @Test func namesTheLargestUseThatObjectsDoNotExplain() throws {
    #expect(try line(Self.small) == "no leaks in demo (pid 12)")
    #expect(try line(changing(0, to: 500)) == "no leaks in demo (pid 12)")
    #expect(
      try line(changing(4, to: 80))
        == "no leaks in demo (pid 12); 80.0 MB of 110.0 MB in memory are free memory of malloc")
  }

  @Test func namesTheUseThatHasGrownBeforeTheLargest() throws {
    let text = try line(changing(8, to: 40), earlier: changing(4, to: 900))
    #expect(text == "no leaks in demo (pid 12); memory has grown by 39.0 MB of other mappings")
    #expect(
      try line(changing(4, to: 900), earlier: changing(4, to: 900)).hasSuffix("are free memory of malloc"))
  }

  @Test func namesManyThreadsAndDescriptors() throws {
    let text = try line(Self.small, threads: 620, descriptors: 12_588)
    #expect(text == "no leaks in demo (pid 12); 620 threads run; 12,588 descriptors are open")
  }

  @Test func uses() throws {
    let memory = try #require(try capture(changing(8, to: 40), earlier: Self.small).process.memory)
    #expect(memory.resident == 70 << 20)
    #expect(memory[.anonymousMappings] == 40 << 20)
    #expect(memory.growth(of: .anonymousMappings) == 39 << 20)
    #expect(memory.growth(of: .swiftObjects) == 0)
    #expect(memory.rest == 0)
    #expect(try capture(Self.small, earlier: nil).process.memory?.growth == nil)
  }

  @Test func aSectionWithTooFewNumbersIsDamaged() {
    let section = ByteWriter.bytes {
      for number in [3, 0] as [UInt32] { $0.u32(number) }
      for _ in 0..<7 { $0.u64(0) }
    }
    #expect(throws: CaptureError.self) {
      try Capture(decoding: CaptureBuilder.stream(CaptureBuilder().sections + [("MEMO", section)]))
    }
  }

  private func changing(_ use: Int, to megabytes: UInt64) -> [UInt64] {
    var uses = Self.small
    uses[use] = megabytes
    return uses
  }

  /// The first line of a report, without the name of the tool.
  private func line(
    _ uses: [UInt64], earlier: [UInt64]? = nil, threads: UInt64 = 8, descriptors: UInt64 = 20
  ) throws -> String {
    let capture = try capture(uses, earlier: earlier, threads: threads, descriptors: descriptors)
    let report = Report(of: [(capture, Analysis(of: capture, symbolicator: TableSymbolicator()))])
    let text = TextRenderer().render(report)
    return text.split(separator: "\n")[0].dropFirst("LiveObjects: ".count).description
  }

  private func capture(
    _ uses: [UInt64], earlier: [UInt64]?, threads: UInt64 = 8, descriptors: UInt64 = 20
  ) throws -> Capture {
    func numbers(_ uses: [UInt64]) -> [UInt64] {
      let resident = uses.reduce(0, +) - uses[5]
      return ([resident, resident] + uses).map { $0 << 20 } + [2, threads, descriptors]
    }
    let section = ByteWriter.bytes {
      for number in [15, 0] as [UInt32] { $0.u32(number) }
      $0.u64(earlier == nil ? 0 : 1)
      for number in numbers(earlier ?? Self.small) + numbers(uses) { $0.u64(number) }
    }
    var builder = CaptureBuilder()
    builder.heapGraph()
    return try Capture(decoding: CaptureBuilder.stream(builder.sections + [("MEMO", section)]))
  }
}
