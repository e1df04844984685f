import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct HolderTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  @Test mutating func aGlobalIsTheFirstStepOfAPath() throws {
    let cache = builder.object(of: builder.type("Demo.Cache"))
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.reference(from: cache, to: entry, property: "last")
    builder.global(0x100, to: cache)
    symbolicator.define(variable: 0x100, "static Demo.Cache.shared")

    let found = try #require(finding(of: "Demo.Entry"))
    #expect((found.verdict, found.certainty) == (.heldBy, .definite))
    #expect(steps(found) == ["static Demo.Cache.shared", "Demo.Cache.last"])
  }

  @Test mutating func aVariableThatLeadsIntoAnObjectProbablyHoldsIt() throws {
    let pool = builder.object(of: builder.type("Demo.Pool"))
    builder.root(.global(Frame(image: 0, offset: 0x100)), to: pool, isDisguised: true)
    symbolicator.define(variable: 0x100, "static Demo.Pool.samples")

    let found = try #require(finding(of: "Demo.Pool"))
    #expect((found.verdict, found.certainty) == (.heldBy, .probable))
  }

  @Test mutating func aCollectionIsPartOfItsVariable() throws {
    let storage = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.Entry>", image: nil))
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.reference(from: storage, to: entry, ReferenceLabel(.element), element: 3)
    builder.global(0x100, to: storage)
    symbolicator.define(variable: 0x100, "global Demo.history")
    let found = try #require(finding(of: "Demo.Entry"))
    #expect(steps(found) == ["global Demo.history[3]"])
  }

  @Test mutating func aConservativeReferenceInAVariableHoldsNothingIfAllRetainsAreBalanced() {
    let (a, b) = (builder.object(of: builder.type("Demo.A")), builder.object(of: builder.type("Demo.B")))
    builder.cycle(a, "b", b, "a")
    builder.global(0x100, to: a)
    #expect(analyse(builder, symbolicator).findings.map(\.verdict) == [.retainCycle])
  }

  @Test mutating func aPointerIsABetterHolderThanAConservativeReference() throws {
    let old = builder.object(of: builder.type("Demo.Old"))
    let owner = builder.object(of: builder.type("Demo.Owner"))
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.reference(from: old, to: entry, ReferenceLabel(.memory, ownership: .conservative))
    builder.reference(from: owner, to: entry, ReferenceLabel(.memory, ownership: .unmanaged))
    builder.global(0x100, to: old)
    builder.global(0x108, to: owner)
    symbolicator.define(variable: 0x100, "global Demo.old")
    symbolicator.define(variable: 0x108, "global Demo.owner")
    let found = try #require(finding(of: "Demo.Entry"))
    #expect(steps(found) == ["global Demo.owner", "Demo.Owner"])
    #expect(found.certainty == .probable)
  }

  /// For example what it was started with, and retains by itself.
  @Test mutating func aThreadHoldsTheObjectsOfItsVariables() throws {
    let body = builder.object(of: builder.type("Demo.Body"))
    builder.root(.threadLocal(thread: 7), to: body)
    let found = try #require(finding(of: "Demo.Body"))
    #expect(found.verdict == .heldBy)
    #expect(steps(found) == ["running thread"])
  }

  @Test(arguments: [Root.Place.stack(thread: 7), .cMemory(address: 64)])
  mutating func anObjectReferencedOnlyByAStackOrCMemoryIsGrowth(place: Root.Place) throws {
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.root(place, to: entry)
    let found = try #require(finding(of: "Demo.Entry"))
    #expect(found.verdict == .growth)
    #expect(found.unexplainedRetains == 1)
    #expect(found.remarks.count == 1)
  }

  @Test mutating func aSuspendedTaskHoldsTheCapturesOfItsClosure() throws {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    let poller = builder.object(of: builder.type("Demo.Poller"))
    builder.reference(from: task, to: poller, ReferenceLabel(.taskClosure))
    builder.root(.cMemory(address: 64), to: task, isInUse: true)  // a timer
    builder.task(task, .suspended, frames: [Frame(image: 0, offset: 0x200)])
    symbolicator.define(0x200, [.user("closure #1 in Poller.start()")])
    let found = try #require(finding(of: "Demo.Poller"))
    #expect(found.verdict == .heldBy)
    #expect(steps(found) == ["suspended task in closure #1 in Demo.Poller.start().closure"])
  }

  @Test mutating func aTaskThatHasNotRunIsNamedAfterItsClosure() throws {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    let poller = builder.object(of: builder.type("Demo.Poller"))
    symbolicator.define(0x301, [.user("closure #1 in Poller.start()")])
    let thunk = builder.object(of: builder.type("", kind: .closureContextOrBox))
    builder.reference(from: task, to: thunk, ReferenceLabel(.taskClosure))
    builder.reference(
      from: thunk, to: poller, ReferenceLabel(.capture), function: builder.function(0x301))
    builder.task(task, .enqueued, frames: [futureAdapter()])
    let found = try #require(finding(of: "Demo.Poller"))
    #expect(steps(found).first?.hasPrefix("enqueued task in closure #1 in Demo.Poller.start()") == true)
  }

  @Test mutating func aTaskIsNotNamedAfterCodeOfTheRuntime() throws {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    let poller = builder.object(of: builder.type("Demo.Poller"))
    builder.reference(from: task, to: poller, ReferenceLabel(.taskClosure))
    builder.task(task, .enqueued, frames: [futureAdapter()])
    let found = try #require(finding(of: "Demo.Poller"))
    #expect(steps(found) == ["enqueued task.closure"])
  }

  private mutating func futureAdapter() -> Frame {
    let image = builder.image("/usr/lib/swift/linux/libswift_Concurrency.so", isSystem: true)
    symbolicator.define(
      0x900, [.system("future_adapter(swift::AsyncContext*)", module: "libswift_Concurrency.so")])
    return Frame(image: image, offset: 0x900)
  }

  @Test mutating func aTaskHeldByItsCapturedObjectIsACycle() throws {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: 2)
    let poller = builder.object(of: builder.type("Demo.Poller"))
    builder.reference(from: task, to: poller, ReferenceLabel(.taskClosure))
    builder.reference(from: poller, to: task, property: "task")
    builder.root(.cMemory(address: 1), to: task, isInUse: true)
    builder.task(task, .suspended)
    let found = try #require(finding(of: "Demo.Poller"))
    #expect(found.verdict == .heldBy)
    #expect(steps(found) == ["Demo.Poller.task", "suspended task.closure"])
  }

  @Test mutating func theClosureOfATaskIsOnThePathOfItsHolder() {
    let (task, poller) = pollerWithTask()
    builder.reference(from: poller, to: task, property: "task")
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.type) == ["Demo.Poller"])
    #expect(
      findings.map(steps) == [
        [
          "Demo.Poller.task", "running task in closure #1 in Demo.Poller.start().closure",
          "closure #1 in Demo.Poller.start().self",
        ]
      ])
  }

  @Test mutating func theClosureOfATaskIsReportedIfItsObjectIsHeldElsewhere() {
    let (task, poller) = pollerWithTask(strongCount: 2)
    builder.reference(from: poller, to: task, property: "task")
    builder.global(0x100, to: poller)
    symbolicator.define(variable: 0x100, "global Demo.poller")
    #expect(Set(analyse(builder, symbolicator).findings.map(\.kind)) == [.classInstance, .closure])
  }

  @Test mutating func theClosureOfALostTaskIsReportedWithItsCaptures() {
    _ = pollerWithTask()
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.kind) == [.classInstance])
    #expect(findings.map(\.victimTypes) == [[.init("closure #1 in Demo.Poller.start()", 1)]])
  }

  private mutating func pollerWithTask(strongCount: UInt32 = 1) -> (task: UInt32, poller: UInt32) {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: 2)
    let context = builder.object(of: builder.type("", kind: .closureContextOrBox))
    let poller = builder.object(of: builder.type("Demo.Poller"), strongCount: strongCount)
    symbolicator.define(0x201, [.user("closure #1 in Poller.start()")])
    builder.reference(
      from: task, to: context, ReferenceLabel(.taskClosure), function: builder.function(0x201))
    builder.reference(from: context, to: poller, ReferenceLabel(.capture, text: "Demo.Poller"))
    builder.task(task, .running)
    return (task, poller)
  }

  @Test mutating func anObjectFromBeforeTheBaselineHoldsLaterObjects() throws {
    let server = builder.object(of: builder.type("Demo.Server"), strongCount: 1)
    let session = builder.object(of: builder.type("Demo.Session"))
    builder.reference(from: server, to: session, property: "session")
    let baseline = builder.capture.objects[Int(session)].sequence
    let findings = analyse(builder, symbolicator, options: Analysis.Options(baseline: baseline)).findings
    #expect(findings.map(\.type) == ["Demo.Session"])
    #expect(findings.map(\.verdict) == [.heldBy])
    #expect(findings.map(steps) == [["Demo.Server.session"]])
  }

  @Test mutating func aListIsOneFindingWithItsHolder() throws {
    let node = builder.type("Demo.Node")
    let nodes = (0..<10).map { _ in builder.object(of: node) }
    for (previous, next) in zip(nodes, nodes.dropFirst()) {
      builder.reference(from: previous, to: next, property: "next")
    }
    builder.global(0x100, to: nodes[0])
    symbolicator.define(variable: 0x100, "global Demo.list")
    let findings = analyse(builder, symbolicator).findings
    #expect(findings.map(\.instances) == [10])
    #expect(findings.map(steps) == [["global Demo.list"]])
  }

  @Test mutating func aConservativeReferenceMakesAFindingProbable() throws {
    let buffer = builder.object(of: builder.type("Demo.Buffer"))
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.reference(from: buffer, to: entry, ReferenceLabel(.memory, ownership: .conservative))
    builder.global(0x100, to: buffer)
    let found = try #require(finding(of: "Demo.Entry"))
    #expect(found.certainty == .probable)
  }

  @Test mutating func aStrongReferenceIsPreferredToAShorterConservativePath() throws {
    let owner = builder.object(of: builder.type("Demo.Owner"))
    let list = builder.object(of: builder.type("Demo.List"))
    let entry = builder.object(of: builder.type("Demo.Entry"))
    builder.reference(from: owner, to: entry, ReferenceLabel(.memory, ownership: .conservative))
    builder.reference(from: owner, to: list, property: "list")
    builder.reference(from: list, to: entry, property: "first")
    builder.global(0x100, to: owner)
    let found = try #require(finding(of: "Demo.Entry"))
    #expect(found.certainty == .definite)
    #expect(steps(found).last == "Demo.List.first")
  }

  @Test mutating func theFirstValueOfAVariableIsNoFinding() {
    symbolicator.define(0x10, [.user("one-time initialization function for shared")])
    symbolicator.define(variable: 0x100, "static Demo.Cache.shared")
    let first = builder.stackTrace([0x10])
    let cache = builder.object(of: builder.type("Demo.Cache"), stackTrace: first)
    builder.reference(
      from: cache, to: builder.object(of: builder.type("Demo.Queue"), stackTrace: first), property: "queue")
    builder.global(0x100, to: cache)
    #expect(analyse(builder, symbolicator).findings.isEmpty)
    let chosen = analyse(builder, symbolicator, options: Analysis.Options(objects: [0, 1])).findings
    #expect(chosen.map(\.type) == ["Demo.Cache", "Demo.Queue"])

    let entry = builder.object(of: builder.type("Demo.Entry"), stackTrace: builder.stackTrace([0x20]))
    builder.reference(from: cache, to: entry, property: "entry")
    #expect(analyse(builder, symbolicator).findings.map(\.type) == ["Demo.Entry"])
  }

  @Test mutating func theFirstValueOfALocalTypesVariableIsNoFinding() {
    symbolicator.define(0x10, [.user("one-time initialization function for author")])
    symbolicator.define(variable: 0x100, "static author in Book #1 in Demo.LibraryTests.testAuthor()")
    let author = builder.object(of: builder.type("Demo.Author"), stackTrace: builder.stackTrace([0x10]))
    builder.global(0x100, to: author)
    #expect(analyse(builder, symbolicator).findings.isEmpty)
  }

  @Test mutating func anObjectThatAnotherVariablesFirstUseLeftIsAFinding() {
    symbolicator.define(0x10, [.user("one-time initialization function for other")])
    symbolicator.define(variable: 0x100, "static Demo.Cache.shared")
    let cache = builder.object(of: builder.type("Demo.Cache"), stackTrace: builder.stackTrace([0x10]))
    builder.global(0x100, to: cache)
    #expect(analyse(builder, symbolicator).findings.map(\.type) == ["Demo.Cache"])
  }
}

extension HolderTests {
  private func finding(of type: String) -> Finding? {
    analyse(builder, symbolicator).findings.first { $0.type == type }
  }
}
