import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// A block is in C memory: a conservative reference from there as well as from the object that holds it.
@Suite struct DispatchBlockTests {
  private var builder = CaptureBuilder()
  private let code: UInt64 = 0x101

  @Test mutating func aBlockHeldByItsCapturedObjectIsProbablyACycle() {
    let owner = keptBlock()
    builder.root(.handler(Frame(image: 0, offset: code), of: nil), to: owner)
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.certainty) == [.probable])
  }

  @Test mutating func aBlockHeldElsewhereIsAHolder() {
    let owner = keptBlock()
    builder.root(.handler(Frame(image: 0, offset: code + 1), of: nil), to: owner)
    #expect(analyse(builder).findings.map(\.verdict) == [.heldBy])
  }

  /// An object that holds a work item, whose block captured the object.
  private mutating func keptBlock() -> UInt32 {
    let owner = builder.object(of: builder.type("Demo.Owner"))
    let item = builder.object(of: builder.type("Dispatch.DispatchWorkItem"))
    builder.reference(from: owner, to: item, property: "item")
    builder.reference(
      from: item, to: owner, property: "_block", .conservative, function: builder.function(code))
    return owner
  }
}
