import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// Raw memory to which nothing refers.
@Suite struct LostBufferTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  private mutating func buffer(_ place: UInt64 = 0x100, isLost: Bool = true) -> UInt32 {
    let buffer = builder.object(
      of: builder.type("", kind: .rawBuffer), bytes: 200_000, stackTrace: builder.stackTrace([place]),
      strongCount: nil)
    if isLost { builder.lost(buffer) }
    return buffer
  }

  private func findings() -> [Finding] { Analysis(of: builder.capture, symbolicator: symbolicator).findings }

  init() {
    symbolicator.define(0x100, [.user("Player.play()", line: 13)])
    symbolicator.define(0x200, [.system("URLSession.init()", module: "Foundation")])
  }

  @Test mutating func isALeakWithTheLineThatAllocatedIt() throws {
    _ = buffer()
    let finding = try #require(findings().first)
    #expect((finding.verdict, finding.type, finding.kind) == (.lostBuffer, "raw buffer", .rawBuffer))
    #expect((finding.certainty, finding.isLibraryLeak, finding.isLeak) == (.probable, false, true))
    #expect((finding.instances, finding.bytes) == (1, 200_000))
    #expect(finding.allocatedAt.map { $0.frames.map(\.line) } == [[13]])
    #expect(Finding(encoded: finding.encoded)?.verdict == .lostBuffer)
  }

  @Test mutating func memoryWithAPointerToItIsNone() {
    _ = buffer(isLost: false)
    #expect(findings().isEmpty)
  }

  @Test mutating func memoryOfALibraryIsALibraryLeak() {
    _ = buffer(0x200)
    #expect(findings().map(\.isLibraryLeak) == [true])
  }

  /// The word that leads from one to the other may never have been initialised.
  @Test mutating func eachIsCounted() {
    let buffers = [buffer(), buffer()]
    builder.reference(from: buffers[0], to: buffers[1], ReferenceLabel(.memory, ownership: .conservative))
    builder.reference(from: buffers[1], to: buffers[0], ReferenceLabel(.memory, ownership: .conservative))
    let found = findings()
    #expect(found.map(\.verdict) == [.lostBuffer])
    #expect(found.map(\.instances) == [2])
    #expect(found.map(\.bytes) == [400_000])
  }

  /// The object is neither over-retained nor growth, and the second buffer is lost with the first.
  @Test mutating func whatItAloneHoldsIsItsVictim() throws {
    let first = buffer()
    let second = buffer(isLost: false)
    let session = builder.object(of: builder.type("Demo.Session"), bytes: 64)
    builder.reference(from: first, to: second, ReferenceLabel(.memory, ownership: .conservative))
    builder.reference(from: second, to: session, ReferenceLabel(.memory, ownership: .conservative))
    let finding = try #require(findings().count == 1 ? findings().first : nil)
    #expect((finding.verdict, finding.instances, finding.bytes) == (.lostBuffer, 1, 400_064))
    #expect(finding.victimTypes == [.init("Demo.Session", 1)])
  }

  @Test mutating func thoseOfOneCallAreOneFinding() {
    for _ in 0..<4 { _ = buffer() }
    #expect(findings().map(\.instances) == [4])
  }
}
