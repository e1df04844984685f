import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

/// A list of many nodes is as deep as it is long: a recursive walk would overflow the stack.
@Suite struct LargeHeapTests {
  private static let count = 300_000

  /// A list of nodes, in which each refers to the next.
  private func list(closed: Bool) -> CaptureBuilder {
    var builder = CaptureBuilder()
    builder.objects(Self.count, of: builder.type("Demo.Node"))
    let label = builder.label(ReferenceLabel(.property, text: "next"))
    builder.heapGraph()
    let targets = Array(1..<Self.count) + (closed ? [0] : [])
    builder.references(
      targets.enumerated().map { Reference(from: UInt32($0.offset), to: UInt32($0.element), label: label) })
    return builder
  }

  @Test func aLongRingIsOneCycle() throws {
    let findings = analyse(list(closed: true)).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.objects) == [Self.count])
    #expect(findings.map(steps) == [["Demo.Node.next"]])
  }

  @Test func aLongHeldListIsOneFinding() throws {
    var builder = list(closed: false)
    builder.global(0x900, to: 0)
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.heldBy])
    #expect(findings.map(\.instances) == [Self.count])
    #expect(findings.map(\.path.count) == [1])
  }

  @Test func aLongOverRetainedListIsCountedWithItsFirstNode() throws {
    let findings = analyse(list(closed: false)).findings
    #expect(findings.map(\.verdict) == [.overRetained])
    #expect(findings.map(\.victims) == [Self.count - 1])
  }
}
