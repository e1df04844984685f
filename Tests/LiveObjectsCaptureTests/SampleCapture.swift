import CaptureFixtures

@testable import LiveObjectsCapture

/// A capture with records in every section.
func makeSampleCapture() -> CaptureBuilder {
  var builder = CaptureBuilder(
    tracking: TrackingStatus(
      state: .tracking, hookMode: .gotEntries, stackSource: .unwindTables, countsRetains: true, depth: 3,
      sampleBytes: 4096, wasShortOfMemory: true, hasBudget: true, wasStopped: true,
      droppedRecords: 1, droppedStackTraces: 2,
      missedDeallocations: 3,
      allocations: 40,
      deallocations: 30,
      notes: ["A note.", "Another, with ünïcödé."]))
  let library = builder.image("/usr/lib/libswiftCore.so", isSystem: true)
  let outer = builder.stackTrace([0x10, 0x20, 0x30])
  let inner = builder.stackTrace([0x40], image: library, continuing: outer, taking: 2)
  let nowhere = builder.stackTrace([0x7fff_0000_0000], image: nil)
  builder.objects(3, of: builder.type("Demo.Loader"), bytes: 64, stackTrace: inner, scope: 9)
  builder.objects(
    1, of: builder.type("", kind: .closureContextOrBox, image: nil, captureCount: 2), stackTrace: nowhere,
    strongCount: nil)
  let session = builder.type("Demo.Session")
  builder.objects(2, of: session, isPinned: true, wasWeaklyReferenced: true)
  addHeapGraph(to: &builder, session: session)
  addTests(to: &builder)
  return builder
}

/// Six objects are there: loaders, a closure context, and sessions.
private func addHeapGraph(to builder: inout CaptureBuilder, session: Int) {
  builder.heapGraph(
    HeapGraph.Status(
      threads: 2, unreadObjects: 3, scannedObjects: 4, missesStacks: true, missesRoots: true,
      hasRegisters: true, isPartial: true,
      notes: ["Half of it."]))
  builder.superclasses(of: session, ["Demo.Base", "Demo.Root"])
  let function = builder.function(0x61)
  builder.reference(from: 0, to: 3, property: "onLoad", function: function)
  builder.reference(from: 0, to: 4, ReferenceLabel(.element), element: 7)
  builder.reference(from: 3, to: 0, ReferenceLabel(.capture, text: "Demo.Loader"))
  builder.reference(from: 5, to: 4, property: "owner", .weak)
  builder.reference(from: 5, to: 0, ReferenceLabel(.memory, ownership: .conservative))
  for place: Root.Place in [
    .global(Frame(image: 0, offset: 0x800)), .stack(thread: 12), .threadLocal(thread: 0),
    .cMemory(address: 0x7f00_1234_5678), .handler(Frame(image: nil, offset: 0x900), of: nil),
    .handler(nil, of: 0),
  ] { builder.root(place, to: 4) }
  builder.root(.threadLocal(thread: 3), to: 3, isDisguised: true)
  builder.task(
    5, .suspended, wait: .continuation, hasActiveChild: true, isInExecutor: true,
    frames: [Frame(image: 0, offset: 0x71), Frame(image: 1, offset: 0x81)])
  builder.task(4, .complete)
  builder.elements(0, 7)
  builder.lost(4)
  _ = builder.block(of: 4096, ownedBy: [0, 3])
  builder.retainSite(0, stackTrace: 1, retains: 3, releases: 2)
}

private func addTests(to builder: inout CaptureBuilder) {
  let waiting = builder.test("DemoTests.LoaderTests/testWaiting", .failed)
  builder.place(ofTest: waiting, file: "/src/Tests/LoaderTests.swift", line: 7)
  builder.test("DemoTests.Loading/load(count:)", arguments: "3", .leaked, scope: 9)
  let object = TestFinding.Object(builder.capture.objects[0], instance: 0, isCore: true)
  builder.evaluate(waiting)
  builder.fail(1, with: [object], content: [1, 2, 3])
  builder.scope(10, inside: 9)
  builder.scope(12, inside: 10)
  builder.markKnownIssue(10, before: 0x1_0000_0002)
}

/// A stream with one section's payload replaced.
func makeStream(replacing tag: String, with payload: [UInt8]) -> [UInt8] {
  let sections = makeSampleCapture().sections.map { ($0.tag, $0.tag == tag ? payload : $0.payload) }
  return CaptureBuilder.stream(sections)
}

/// The reason why bytes cannot be decoded; `nil` if they can.
func decodingError(_ bytes: [UInt8]) -> CaptureError? {
  do {
    _ = try ReadableCaptures(in: bytes).all()
    return nil
  } catch {
    return error
  }
}

/// Whether decoding the bytes fails with an error about damage.
func isDamaged(_ bytes: some Sequence<UInt8>) -> Bool {
  guard case .damaged = decodingError(Array(bytes))?.reason else { return false }
  return true
}
