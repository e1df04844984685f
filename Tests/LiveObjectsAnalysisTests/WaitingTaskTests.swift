import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture

@Suite struct WaitingTaskTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()

  @Test mutating func aTaskThatNothingRefersToIsNeverResumed() throws {
    _ = taskOfModel()
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.leakedTask, .probable))
    #expect((finding.objects, finding.victims, finding.path) == (2, 1, []))
    #expect(finding.type == "Demo.Model.start()")
    #expect(finding.remarks.count == 1)
    #expect(finding.remarks[0].contains("suspended in Demo.Model.start()"))
  }

  /// A stripped concurrency library has no names, and a wrong hint would be worse than none.
  @Test(
    arguments: [
      (
        "AsyncStream.Iterator.next()", "for a stream whose continuation nothing reachable holds", .iterateCopy
      ),
      (
        "Observation.Observations.Iterator.next(isolation:)",
        "for changes of an object that nothing reachable holds", .endObservation
      ),
      (
        "NotificationCenter.Notifications.Iterator.next()", "to be resumed, which nothing reachable can do",
        nil
      ),
      ("withCheckedContinuation(_:)", "for a continuation that nothing reachable holds", .resumeContinuation),
      (nil, "to be resumed, which nothing reachable can do", nil),
    ] as [(String?, String, Finding.Hint.Action?)])
  mutating func theReportSaysWhatATaskWaitsFor(
    function: String?, awaited: String, action: Finding.Hint.Action?
  ) throws {
    symbolicator.define(0x900, [.system(function, module: "libswift_Concurrency.so")])
    let (task, model) = taskOfModel(inside: [Frame(image: 0, offset: 0x900)])
    builder.reference(from: model, to: task, continuation)
    let finding = try #require(analysis().findings.first)
    #expect(
      finding.remarks == ["The task is suspended in Demo.Model.start(), Loader.swift:1. It waits \(awaited)."]
    )
    #expect(finding.hint?.action == action)
  }

  /// Default actors and the global executor keep their jobs by themselves.
  @Test(arguments: [false, true])
  mutating func aJobIsRunByWhoHasItIfItsExecutorKeepsNone(isInExecutor: Bool) throws {
    let model = builder.object(of: builder.type("Demo.Model"))
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    builder.task(task, .enqueued, wait: .executor, isInExecutor: isInExecutor)
    builder.reference(from: task, to: model, ReferenceLabel(.taskClosure))
    builder.reference(from: model, to: task, continuation)
    #expect(analysis().findings.map(\.verdict) == [isInExecutor ? .leakedTask : .heldBy])
    builder.global(0x100, to: model)
    #expect(!analysis().findings.contains { $0.verdict == .leakedTask })
  }

  @Test mutating func aContinuationInAnObjectOfTheTaskIsACycleThroughTheTask() throws {
    let (task, model) = taskOfModel()
    builder.reference(from: model, to: task, continuation)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.type) == (.leakedTask, "Demo.Model"))
    #expect(
      finding.path.map { "\($0.type).\($0.reference)" } == [
        "Demo.Model.", "suspended task in Demo.Model.start().closure",
      ])
  }

  @Test mutating func anObjectInAFrameIsPartOfTheLeak() throws {
    let task = makeTask()
    let model = builder.object(of: builder.type("Demo.Model"))
    builder.reference(from: task, to: model, ReferenceLabel(.taskFrame, ownership: .conservative))
    builder.reference(from: model, to: task, continuation)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.leakedTask, .probable))
  }

  @Test(arguments: [
    Root(.global(Frame(image: nil, offset: 0x100)), target: 0), Root(.threadLocal(thread: 7), target: 0),
    Root(.handler(Frame(image: nil, offset: 0x100), of: nil), target: 0),
    Root(.cMemory(address: 64), target: 0, isInUse: true),
  ])
  mutating func aRootMayResumeATask(root: Root) {
    builder.root(root.place, to: taskOfModel().task, isInUse: root.isInUse)
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  /// Memory of C code that was used before has the addresses of many objects, and those that hold a task are many.
  @Test(arguments: [Root.Place.cMemory(address: 64), .stack(thread: 7)])
  mutating func anOldWordToWhatOnlyTheTaskHoldsResumesNothing(place: Root.Place) throws {
    builder.root(place, to: taskOfModel().model)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.leakedTask, .probable))
  }

  @Test(arguments: [Root.Place.cMemory(address: 64), .stack(thread: 7)])
  mutating func aTaskThatOnlyAnOldWordMayResumeIsUndecided(place: Root.Place) throws {
    builder.root(place, to: taskOfModel().task)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.leakedTask, .undecided))
    #expect(finding.remarks.contains { $0.contains("If it is old, nothing resumes it") })
  }

  /// Code that loads the reference may find the continuation.
  @Test(arguments: [ReferenceLabel.Ownership.strong, .weak, .unowned, .unmanaged, .conservative])
  mutating func aReachableObjectThatRefersToTheModelMayResumeItsTask(ownership: ReferenceLabel.Ownership) {
    let (task, model) = taskOfModel(strongCount: ownership == .strong ? 2 : 1)
    builder.reference(from: model, to: task, continuation)
    let owner = builder.object(of: builder.type("Demo.Block"))
    builder.reference(from: owner, to: model, ReferenceLabel(.property, ownership: ownership, text: "model"))
    builder.global(0x100, to: owner)
    #expect(analysis().findings.map(\.verdict) == [.heldBy, .heldBy])
  }

  @Test mutating func aRawBufferResumesATaskUnlessOnlyTheTaskKeepsIt() {
    let (task, model) = taskOfModel()
    let buffer = builder.object(of: builder.type("", kind: .rawBuffer, image: nil), strongCount: nil)
    builder.reference(from: buffer, to: task, ReferenceLabel(.memory, ownership: .conservative))
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
    builder.reference(from: model, to: buffer, continuation)
    #expect(analysis().findings.contains { $0.verdict == .leakedTask })
  }

  /// Any word of C code may equal the address of an object that only the task keeps alive.
  @Test mutating func anObjectOfALeakedTaskIsNoGrowth() {
    let (_, model) = taskOfModel()
    let factory = builder.object(of: builder.type("Demo.Factory"), strongCount: 2)
    let part = builder.object(of: builder.type("Demo.Part"))
    builder.reference(from: model, to: factory, property: "factory")
    builder.reference(from: factory, to: part, property: "part")
    builder.root(.cMemory(address: 64), to: factory)
    #expect(analysis().findings.map(\.verdict) == [.leakedTask])
  }

  /// The side table of a freed object has its address, where the task is now.
  @Test mutating func theCountsOfAFreedObjectResumeNothing() {
    let (task, _) = taskOfModel()
    let buffer = builder.object(of: builder.type("", kind: .rawBuffer, image: nil), strongCount: nil)
    builder.reference(from: buffer, to: task, ReferenceLabel(.memory, ownership: .conservative))
    let holder = builder.object(of: builder.type("Demo.Watchdog"))
    builder.reference(from: holder, to: buffer, ReferenceLabel(.capture, ownership: .weak, text: "waiter"))
    builder.global(0x100, to: holder)
    #expect(analysis().findings.contains { $0.verdict == .leakedTask })
  }

  /// The frame of `Task.sleep` has words of what was in the same memory before.
  @Test(arguments: [ReferenceLabel.Kind.taskFrame, .runtimeFrame])
  mutating func aWordInAFrameOfTheRuntimeResumesNothing(kind: ReferenceLabel.Kind) {
    let (task, _) = taskOfModel()
    let sleeping = makeTask()
    builder.global(0x100, to: sleeping)
    builder.reference(from: sleeping, to: task, ReferenceLabel(kind, ownership: .conservative))
    #expect(analysis().findings.contains { $0.verdict == .leakedTask } == (kind == .runtimeFrame))
  }

  @Test mutating func aTaskThatWaitsForOneThatNothingResumesIsTheSameLeak() throws {
    let (task, _) = taskOfModel()
    let (other, _) = taskOfModel(waiting: .task, strongCount: 1)
    builder.reference(from: task, to: other, ReferenceLabel(.waitingTask, ownership: .unmanaged))
    builder.reference(from: other, to: task, ReferenceLabel(.taskFrame, ownership: .conservative))
    let leaks = analysis().findings.filter { $0.verdict == .leakedTask }
    #expect(leaks.map(\.instances) == [1])
    #expect(leaks.map(\.objects) == [4])
  }

  @Test mutating func aTaskThatWaitsForOneThatRunsIsHeld() {
    let (task, _) = taskOfModel(waiting: .task)
    let other = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    builder.task(other, .running)
    builder.reference(from: other, to: task, ReferenceLabel(.waitingTask, ownership: .unmanaged))
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  @Test mutating func aTaskThatWaitsForAnUnknownTaskIsHeld() {
    _ = taskOfModel(waiting: .task)
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  @Test mutating func aTaskWithAnActiveChildInItsMemoryIsHeld() {
    let task = makeTask(hasActiveChild: true)
    let model = builder.object(of: builder.type("Demo.Model"))
    builder.reference(from: task, to: model, ReferenceLabel(.taskClosure))
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  @Test mutating func theChildrenOfATaskThatRunsMayBeCancelled() {
    let (task, _) = taskOfModel()
    let parent = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil))
    builder.task(parent, .running)
    builder.reference(from: parent, to: task, ReferenceLabel(.taskChild, ownership: .unmanaged))
    #expect(analysis().findings.map(\.verdict) == [.heldBy])
  }

  @Test(
    arguments: [
      (HeapGraph.Status(threads: 2, hasRegisters: true), .probable, nil),
      (HeapGraph.Status(threads: 2), .probable, "registers of other threads"),
      (HeapGraph.Status(missesRoots: true), .probable, "memory outside of the heap"),
      (HeapGraph.Status(missesStacks: true), .undecided, "stack of another thread"),
      (HeapGraph.Status(unreadObjects: 1), .undecided, "objects could not be read"),
    ] as [(HeapGraph.Status, Finding.Certainty, String?)])
  mutating func whatWasNotReadLowersTheCertainty(
    status: HeapGraph.Status, certainty: Finding.Certainty, remark: String?
  ) throws {
    _ = taskOfModel()
    builder.heapGraph(status)
    let finding = try #require(analysis().findings.first)
    #expect((finding.verdict, finding.certainty) == (.leakedTask, certainty))
    #expect(remark.map { text in finding.remarks.contains { $0.contains(text) } } ?? true)
  }

  @Test mutating func aCycleThatKeepsATaskIsTheLeak() throws {
    let (a, b) = (builder.object(of: builder.type("Demo.A")), builder.object(of: builder.type("Demo.B")))
    builder.cycle(a, "b", b, "a")
    let (task, _) = taskOfModel(ownRetains: 2)
    builder.reference(from: a, to: task, property: "task")
    let finding = try #require(analysis().findings.first)
    #expect(analysis().findings.count == 1)
    #expect((finding.verdict, finding.objects, finding.victims) == (.retainCycle, 4, 2))
  }

  /// A word in the memory of a task that nothing resumes may be stale: to resume the task would not break the cycle.
  @Test mutating func aCycleThatKeepsItselfIsNoPartOfATaskThatRefersToIt() throws {
    let task = makeTask()
    let owner = conservativeCycle()
    builder.reference(from: task, to: owner, ReferenceLabel(.taskFrame, ownership: .conservative))
    let findings = analysis().findings
    #expect(Set(findings.map(\.verdict)) == [.retainCycle, .leakedTask])
    let cycle = try #require(findings.first { $0.verdict == .retainCycle })
    #expect((cycle.certainty, cycle.objects, cycle.type) == (.probable, 2, "Demo.Block"))
  }

  /// The task has a retain of its own.
  @Test mutating func aCycleThatATaskKeepsIsPartOfTheTask() throws {
    let task = makeTask()
    let owner = conservativeCycle(retains: 2)
    builder.reference(from: task, to: owner, ReferenceLabel(.taskClosure))
    #expect(analysis().findings.map(\.verdict) == [.leakedTask])
  }

  /// Of an earlier assertion.
  @Test(arguments: [true, false]) mutating func aTaskIsNoPartOfAnOlderOneWhoseFrameHasItsAddress(
    isMutual: Bool
  )
    throws
  {
    let older = makeTask()
    let chat = builder.object(of: builder.type("Demo.Chat"))
    builder.reference(from: older, to: chat, ReferenceLabel(.taskClosure))
    builder.reference(from: chat, to: older, continuation)
    let baseline = builder.capture.process.next + 1
    let (task, model) = taskOfModel()
    builder.reference(from: model, to: task, continuation)
    builder.reference(from: older, to: task, ReferenceLabel(.taskFrame, ownership: .conservative))
    if isMutual {
      builder.reference(from: task, to: older, ReferenceLabel(.taskFrame, ownership: .conservative))
    }
    let findings = analysis(Analysis.Options(baseline: baseline)).findings
    #expect(findings.map(\.verdict) == [.leakedTask])
    #expect(findings.map(\.type) == ["Demo.Model"])
  }
}

extension WaitingTaskTests {
  /// A block whose captures are guessed: its retain of the owner is found by its word alone.
  private mutating func conservativeCycle(retains: UInt32 = 1) -> UInt32 {
    let owner = builder.object(of: builder.type("Demo.Owner"), strongCount: retains)
    let block = builder.object(of: builder.type("Demo.Block"))
    builder.reference(from: owner, to: block, property: "block")
    builder.reference(from: block, to: owner, ReferenceLabel(.memory, ownership: .conservative))
    return owner
  }

  private var continuation: ReferenceLabel { ReferenceLabel(.memory, ownership: .unmanaged) }

  private mutating func makeTask(
    waiting wait: TaskDescription.Wait = .continuation, hasActiveChild: Bool = false, retains: UInt32 = 1,
    inside frames: [Frame] = []
  ) -> UInt32 {
    let task = builder.object(
      of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: retains)
    symbolicator.define(0x200, [.user("Model.start()")])
    builder.task(
      task, .suspended, wait: wait, hasActiveChild: hasActiveChild,
      frames: frames + [Frame(image: 0, offset: 0x200)])
    return task
  }

  /// A task whose closure captured a model.
  private mutating func taskOfModel(
    waiting wait: TaskDescription.Wait = .continuation, strongCount: UInt32 = 1, ownRetains: UInt32 = 1,
    inside frames: [Frame] = []
  ) -> (task: UInt32, model: UInt32) {
    let task = makeTask(waiting: wait, retains: ownRetains, inside: frames)
    let model = builder.object(of: builder.type("Demo.Model"), strongCount: strongCount)
    builder.reference(from: task, to: model, ReferenceLabel(.taskClosure))
    return (task, model)
  }

  private func analysis(_ options: Analysis.Options = Analysis.Options()) -> Analysis {
    Analysis(of: builder.capture, symbolicator: symbolicator, options: options)
  }
}
