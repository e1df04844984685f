import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture

@Suite struct OverRetainedTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  @Test mutating func anUnbalancedRetainIsReported() throws {
    _ = builder.object(of: builder.type("Demo.Handle"), strongCount: 2)
    builder.heapGraph()
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.overRetained, .definite))
    #expect(finding.unexplainedRetains == 2)
    #expect(finding.path.isEmpty)
  }

  @Test mutating func objectsHeldByAnOverRetainedObjectAreVictims() throws {
    let archive = builder.object(of: builder.type("Demo.Archive"))
    let file = builder.object(of: builder.type("Demo.File"))
    builder.reference(from: archive, to: file, property: "file")
    let findings = analysis().findings
    #expect(findings.map(\.type) == ["Demo.Archive"])
    #expect(findings.map(\.victims) == [1])
    #expect(findings.map(\.objects) == [2])
  }

  @Test mutating func withOtherThreadsItIsGrowth() throws {
    _ = builder.object(of: builder.type("Demo.Handle"))
    builder.heapGraph(HeapGraph.Status(threads: 2))
    let finding = try #require(analysis().findings.first)
    #expect(finding.verdict == .growth)
    #expect(finding.unexplainedRetains == 1)
  }

  @Test mutating func withParkedThreadsItIsOverRetained() throws {
    _ = builder.object(of: builder.type("Demo.Handle"))
    builder.heapGraph(HeapGraph.Status(threads: 3, othersAreIdle: true))
    let finding = try #require(analysis().findings.first)
    #expect(finding.verdict == .overRetained)
    #expect(finding.certainty == .definite)
  }

  @Test mutating func withThreadsThatHadToParkItIsProbable() throws {
    _ = builder.object(of: builder.type("Demo.Handle"))
    var status = HeapGraph.Status(threads: 3)
    status.waitedForOthers = true
    builder.heapGraph(status)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.overRetained, .probable))
    #expect(finding.remarks.contains { $0.contains("Other threads were running") })
  }

  @Test mutating func withOtherThreadsTheLedgerProvesIt() throws {
    let made = builder.stackTrace([0x10])
    let given = builder.stackTrace([0x20])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: made, strongCount: 1)
    builder.heapGraph(HeapGraph.Status(threads: 2))
    builder.retainSite(handle, stackTrace: made, retains: 1, releases: 1)
    builder.retainSite(handle, stackTrace: given, retains: 3, releases: 2)
    symbolicator.define(0x20, [.user("Handle.giveAway()")])
    let finding = try #require(analysis().findings.first)
    #expect(finding.verdict == .overRetained)
    #expect(finding.certainty == .probable)
    #expect(finding.retainedAt.map(\.retains) == [3])
    #expect(finding.retainedAt.map(\.releases) == [2])
    #expect(finding.retainedAt.map { $0.frames.first?.function } == ["Handle.giveAway()"])
  }

  @Test mutating func theLedgerDoesNotProveItIfAStackWasNotRead() throws {
    let made = builder.stackTrace([0x10])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: made, strongCount: 1)
    builder.heapGraph(HeapGraph.Status(threads: 2, missesStacks: true))
    builder.retainSite(handle, stackTrace: made, retains: 1, releases: 0)
    #expect(analysis().findings.map(\.verdict) == [.growth])
  }

  @Test mutating func aReleaseAtAnotherLineOfTheSameFunctionMatches() throws {
    let made = builder.stackTrace([0x10])
    let dropped = builder.stackTrace([0x18])
    let given = builder.stackTrace([0x20])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: made)
    builder.retainSite(handle, stackTrace: made, retains: 1, releases: 0)
    builder.retainSite(handle, stackTrace: dropped, retains: 0, releases: 1)
    builder.retainSite(handle, stackTrace: given, retains: 1, releases: 0)
    symbolicator.define(0x10, [.user("make()", line: 3)])
    symbolicator.define(0x18, [.user("make()", line: 9)])
    symbolicator.define(0x20, [.user("Handle.giveAway()")])
    let finding = try #require(analysis().findings.first)
    #expect(finding.retainedAt.map { $0.frames.first?.function } == ["Handle.giveAway()"])
  }

  @Test mutating func anInconsistentLedgerProvesNothing() throws {
    let trace = builder.stackTrace([0x10])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: trace, strongCount: 2)
    builder.heapGraph(HeapGraph.Status(threads: 2))
    builder.retainSite(handle, stackTrace: trace, retains: 1, releases: 0)
    #expect(analysis().findings.map(\.verdict) == [.growth])
  }

  @Test mutating func theDifferenceToTheLedgerIsReported() throws {
    let trace = builder.stackTrace([0x10])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: trace, strongCount: 3)
    builder.heapGraph()
    builder.retainSite(handle, stackTrace: trace, retains: 1, releases: 0)
    let finding = try #require(analysis().findings.first)
    #expect(finding.verdict == .overRetained)
    #expect(finding.remarks.contains { $0.contains("by 2") })
  }

  @Test mutating func anObjectReferencedByAVariableIsHeld() throws {
    let handle = builder.object(of: builder.type("Demo.Handle"))
    builder.global(0x100, to: handle)
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  @Test mutating func anObjectWithAPointerInAReachableObjectIsHeld() throws {
    let owner = builder.object(of: builder.type("Demo.Bridge"))
    let handle = builder.object(of: builder.type("Demo.Handle"))
    builder.global(0x100, to: owner)
    builder.reference(from: owner, to: handle, property: "pointer", .unmanaged)
    let finding = try #require(analysis().findings.first { $0.type == "Demo.Handle" })
    #expect(finding.verdict == .heldBy)
    #expect(finding.certainty == .probable)
  }

  @Test mutating func anObjectInMemoryOfAReachableObjectIsHeld() throws {
    let owner = builder.object(of: builder.type("Demo.Deque"))
    let memory = builder.object(of: builder.type("", kind: .rawBuffer, image: nil), strongCount: nil)
    let handle = builder.object(of: builder.type("Demo.Handle"))
    builder.global(0x100, to: owner)
    builder.reference(from: owner, to: memory, property: "", .unmanaged)
    builder.reference(from: memory, to: handle, ReferenceLabel(.memory, ownership: .conservative))
    let finding = try #require(analysis().findings.first { $0.type == "Demo.Handle" })
    #expect(finding.verdict == .heldBy)
    #expect(finding.certainty == .probable)
  }

  @Test mutating func anObjectIntoWhichAWordLeadsIsAProbableLeak() throws {
    let handle = builder.object(of: builder.type("Demo.Handle"))
    builder.possibleReference(to: handle)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.overRetained, .probable))
    #expect(finding.remarks.contains { $0.contains("into the middle of it") })
  }

  @Test mutating func whatMemoryHoldsIntoWhichAWordLeadsIsAProbableLeak() throws {
    let memory = builder.object(of: builder.type("", kind: .rawBuffer, image: nil), strongCount: nil)
    let handle = builder.object(of: builder.type("Demo.Handle"))
    builder.reference(from: memory, to: handle, ReferenceLabel(.memory, ownership: .conservative))
    builder.possibleReference(to: memory)
    let finding = try #require(analysis().findings.first { $0.type == "Demo.Handle" })
    #expect((finding.verdict, finding.certainty) == (.overRetained, .probable))
  }

  private func analysis() -> Analysis {
    Analysis(of: builder.capture, symbolicator: symbolicator)
  }
}
