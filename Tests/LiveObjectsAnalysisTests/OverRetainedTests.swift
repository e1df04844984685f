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
    #expect((finding.verdict, finding.certainty) == (.overRetained, .probable))
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

  /// The words in memory that objects have allocated account for their retains.
  @Test mutating func objectsThatHoldEachOtherThroughTheirMemoryAreACycle() throws {
    _ = nodesInMemory()
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.retainCycle, .probable))
    #expect((finding.instances, finding.objects) == (1, 4))
    #expect(finding.path.map(\.reference) == ["next", "", "next", ""])
  }

  @Test mutating func aRetainThatTheirMemoryDoesNotExplainIsNoPartOfACycle() throws {
    _ = nodesInMemory(strongCount: 2)
    #expect(analysis().findings.map(\.verdict) == [.overRetained])
  }

  @Test mutating func objectsWhoseMemoryIsReachableAreHeld() throws {
    builder.global(0x100, to: nodesInMemory())
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  /// Two nodes, each of which has memory with a reference to the other one.
  ///
  /// - Returns: the memory of the first one.
  private mutating func nodesInMemory(strongCount: UInt32 = 1) -> UInt32 {
    let (node, raw) = (builder.type("Demo.Node"), builder.type("", kind: .rawBuffer, image: nil))
    let nodes = [builder.object(of: node, strongCount: strongCount), builder.object(of: node)]
    let memory = nodes.map { _ in builder.object(of: raw, strongCount: nil) }
    let pointer = ReferenceLabel(.memory, ownership: .unmanaged, text: "next")
    for index in 0..<2 {
      builder.reference(from: nodes[index], to: memory[index], pointer)
      let word = ReferenceLabel(.memory, ownership: .conservative)
      builder.reference(from: memory[index], to: nodes[1 - index], word)
    }
    return memory[0]
  }

  /// What a timer of Foundation keeps: a CoreFoundation timer, and by a word in that its set of modes.
  @Test(arguments: [false, true])
  mutating func whatAnOverRetainedObjectKeepsByWordsIsAVictimWhereverItLies(isFirst: Bool) throws {
    let type = builder.type("Demo.Modes")
    let early = isFirst ? builder.object(of: type) : nil
    let timer = builder.object(of: builder.type("Demo.Timer"))
    let storage = builder.object(of: builder.type("Demo.Storage"), strongCount: 1)
    let modes = early ?? builder.object(of: type)
    builder.reference(from: timer, to: storage, property: "storage")
    builder.reference(from: storage, to: modes, ReferenceLabel(.memory, ownership: .conservative))
    let findings = analysis().findings
    #expect(findings.map(\.type) == ["Demo.Timer"])
    #expect(findings.map(\.victims) == [2])
  }

  @Test(
    arguments: [
      (HeapGraph.Status(threads: 3, hasRegisters: true), .probable, nil),
      (HeapGraph.Status(threads: 2), .probable, "registers of other threads"),
      (HeapGraph.Status(missesRoots: true), .probable, "memory outside of the heap"),
      (HeapGraph.Status(threads: 2, missesStacks: true), .undecided, "stack of another thread"),
    ] as [(HeapGraph.Status, Finding.Certainty, String?)])
  mutating func whatWasNotReadLowersTheCertainty(
    status: HeapGraph.Status, certainty: Finding.Certainty, remark: String?
  ) throws {
    _ = builder.object(of: builder.type("Demo.Handle"))
    builder.heapGraph(status)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.overRetained, certainty))
    #expect(remark.map { text in finding.remarks.contains { $0.contains(text) } } ?? finding.remarks.isEmpty)
  }

  /// The word may be left from an earlier use of its memory.
  @Test(arguments: [.stack(thread: 7), .cMemory(address: 64)] as [Root.Place])
  mutating func whatAWordMayHoldIsUndecided(place: Root.Place) throws {
    builder.root(place, to: builder.object(of: builder.type("Demo.Handle")))
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.growth, .undecided))
  }

  @Test mutating func theCallsThatRetainedItAreListed() throws {
    let made = builder.stackTrace([0x10])
    let given = builder.stackTrace([0x20])
    let handle = builder.object(of: builder.type("Demo.Handle"), stackTrace: made, strongCount: 1)
    builder.retainSite(handle, stackTrace: made, retains: 1, releases: 1)
    builder.retainSite(handle, stackTrace: given, retains: 3, releases: 2)
    symbolicator.define(0x20, [.user("Handle.giveAway()")])
    let finding = try #require(analysis().findings.first)
    #expect(finding.verdict == .overRetained)
    #expect(finding.retainedAt.map(\.retains) == [3])
    #expect(finding.retainedAt.map(\.releases) == [2])
    #expect(finding.retainedAt.map { $0.frames.first?.function } == ["Handle.giveAway()"])
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

  private func analysis() -> Analysis {
    Analysis(of: builder.capture, symbolicator: symbolicator)
  }

  /// The deinit of the object that refers to it has begun, and has not come to its property.
  @Test(arguments: [true, false])
  mutating func whatAThreadIsAboutToReleaseIsNoLeak(isInThread: Bool) throws {
    let child = builder.object(of: builder.type("Demo.Child"))
    let owners = builder.objects(of: builder.type("Demo.Owner"), isPinned: true, strongCount: 0)
    let owner = UInt32(owners.lowerBound)
    builder.reference(from: owner, to: child, ReferenceLabel(.memory, ownership: .unmanaged))
    if isInThread { builder.root(.stack(thread: 7), to: owner) }
    let finding = try #require(analysis().findings.first { $0.type == "Demo.Child" })
    #expect(finding.verdict == (isInThread ? .growth : .overRetained))
  }
}
