import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// A block lies in memory of C code, and shows there as well as in the object that keeps it.
@Suite struct DispatchBlockTests {
  private var builder = CaptureBuilder()
  private let code: UInt64 = 0x101

  @Test mutating func aBlockThatItsOwnerKeepsIsProbablyACycle() {
    let owner = keptBlock()
    builder.root(.dispatchBlock(Frame(image: 0, offset: code)), to: owner)
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.certainty) == [.probable])
  }

  @Test mutating func aBlockThatSomebodyElseKeepsIsAHolder() {
    let owner = keptBlock()
    builder.root(.dispatchBlock(Frame(image: 0, offset: code + 1)), to: owner)
    #expect(analyse(builder).findings.map(\.verdict) == [.heldBy])
  }

  /// An object that keeps a work item, whose block captured the object.
  private mutating func keptBlock() -> UInt32 {
    let owner = builder.object(of: builder.type("Demo.Owner"))
    let item = builder.object(of: builder.type("Dispatch.DispatchWorkItem"))
    builder.reference(from: owner, to: item, property: "item")
    builder.reference(
      from: item, to: owner, property: "_block", .conservative, function: builder.function(code))
    return owner
  }
}
