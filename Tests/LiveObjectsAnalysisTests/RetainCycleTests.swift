import CaptureFixtures
import LiveObjectsAnalysis
import Testing

@testable import LiveObjectsCapture

@Suite struct RetainCycleTests {
  private var builder = CaptureBuilder()

  @Test mutating func theFirstElementOfEqualCyclesIsReported() throws {
    let (child, parent) = (builder.type("Demo.Child"), builder.type("Demo.Parent"))
    let (second, first) = (builder.object(of: child), builder.object(of: child))
    let root = builder.object(of: parent, strongCount: 2)
    let storage = builder.object(of: builder.type("Swift._ContiguousArrayStorage<Demo.Child>", image: nil))
    builder.reference(from: second, to: root, property: "parent")
    builder.reference(from: first, to: root, property: "parent")
    builder.reference(from: root, to: storage, property: "children")
    builder.reference(from: storage, to: first, ReferenceLabel(.element), element: 0)
    builder.reference(from: storage, to: second, ReferenceLabel(.element), element: 1)
    let found = try #require(Analysis(of: builder.capture, symbolicator: TableSymbolicator()).findings.first)
    #expect(found.path.map(\.reference) == ["parent", "children[0]"])
  }

  @Test mutating func aCycleIsOneFindingWithItsAlphabeticallyFirstType() throws {
    let book = builder.object(of: builder.type("Demo.Book"))
    let author = builder.object(of: builder.type("Demo.Author"))
    builder.cycle(book, "author", author, "book")

    let findings = analyse(builder).findings
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect((finding.verdict, finding.certainty) == (.retainCycle, .definite))
    #expect(finding.type == "Demo.Author")
    #expect(steps(finding) == ["Demo.Author.book", "Demo.Book.author"])
    #expect((finding.instances, finding.objects, finding.victims, finding.bytes) == (1, 2, 0, 64))
  }

  /// Each step of a shortened path refers to an object of the type of the next one.
  @Test mutating func aLongCycleIsShortenedToReferencesThatExist() throws {
    let types = ["Demo.A", "Demo.B", "Demo.A", "Demo.C"].map { builder.type($0) }
    let objects = (0..<20).map { builder.object(of: types[$0 % 4]) }
    for (object, next) in zip(objects, objects[1...] + objects[..<1]) {
      builder.reference(from: object, to: next, property: "next")
    }
    let found = try #require(analyse(builder).findings.first)
    let shown = found.path.map(\.type)
    #expect(shown.count < objects.count)
    let pairs = Set(zip(shown, shown[1...] + shown[..<1]).map { [$0, $1] })
    #expect(
      pairs.isSubset(of: [
        ["Demo.A", "Demo.B"], ["Demo.B", "Demo.A"], ["Demo.A", "Demo.C"], ["Demo.C", "Demo.A"],
      ]))
  }

  @Test mutating func callSitesNameTheTypesOfTheirObjects() throws {
    let types = ["Demo.Author", "Swift._ContiguousArrayStorage<Demo.Book>"].map { builder.type($0) }
    let symbolicator = TableSymbolicator()
    let objects = types.enumerated().map { index, type in
      let place = UInt64(index + 1) * 0x100
      symbolicator.define(place, [.user("allocate\(index)()")])
      return builder.object(of: type, stackTrace: builder.stackTrace([place]))
    }
    builder.reference(from: objects[0], to: objects[1], property: "books")
    builder.reference(from: objects[1], to: objects[0], ReferenceLabel(.element), element: 0)
    let finding = try #require(Analysis(of: builder.capture, symbolicator: symbolicator).findings.first)
    #expect(finding.allocatedAt.map(\.types) == [["Demo.Author"], ["[Demo.Book]"]])
    #expect(Finding(encoded: finding.encoded)?.allocatedAt.map(\.types) == finding.allocatedAt.map(\.types))
  }

  @Test mutating func theTypesOfVictimsAreNamedTheProgramsOwnFirst() throws {
    let node = builder.object(of: builder.type("Demo.Node"))
    builder.reference(from: node, to: node, property: "itself")
    let types = [builder.type("Swift._StringStorage", image: nil), builder.type("Demo.Session")]
    for type in types + types.suffix(1) {
      builder.reference(from: node, to: builder.object(of: type), property: "kept")
    }
    let finding = try #require(analyse(builder).findings.first { $0.verdict == .retainCycle })
    #expect(finding.victims == 3)
    #expect(finding.victimTypes == [.init("Demo.Session", 2), .init("Swift._StringStorage", 1)])
    #expect(Finding(encoded: finding.encoded)?.victimTypes == finding.victimTypes)
  }

  @Test mutating func aSecondCycleIsShownIfNoReferenceBreaksBoth() throws {
    let (channel, pipeline, context) = pipeline()
    let finding = try #require(analyse(builder).findings.first)
    #expect(finding.path.map(\.reference) == ["pipeline", "channel"])
    #expect(
      finding.otherCycle.map { "\($0.type).\($0.reference)" } == [
        "Demo.Pipeline.first", "Demo.Context.pipeline",
      ])
    #expect(Finding(encoded: finding.encoded)?.otherCycle == finding.otherCycle)
    #expect(finding.hint == nil)
    builder.cycle(channel, "last", context, "channel")
    #expect(try #require(analyse(builder).findings.first).otherCycle.isEmpty == false)
    _ = pipeline
  }

  @Test mutating func oneCycleHasNoSecondOne() throws {
    let (book, author) = (builder.type("Demo.Book"), builder.type("Demo.Author"))
    cycle(author, book)
    #expect(try #require(analyse(builder).findings.first).otherCycle.isEmpty)
  }

  @Test mutating func aSecondCycleThroughTheSamePropertiesIsNotShown() throws {
    let node = builder.type("Demo.Node")
    let nodes = (0..<3).map { _ in builder.object(of: node, strongCount: 2) }
    builder.cycle(nodes[0], "next", nodes[1], "previous")
    builder.cycle(nodes[1], "next", nodes[2], "previous")
    #expect(try #require(analyse(builder).findings.first).otherCycle.isEmpty)
  }

  /// A channel and its pipeline hold each other, and so do the pipeline and its first context.
  private mutating func pipeline() -> (channel: UInt32, pipeline: UInt32, context: UInt32) {
    let channel = builder.object(of: builder.type("Demo.Channel"))
    let pipeline = builder.object(of: builder.type("Demo.Pipeline"), strongCount: 2)
    let context = builder.object(of: builder.type("Demo.Context"))
    builder.cycle(channel, "pipeline", pipeline, "channel")
    builder.cycle(pipeline, "first", context, "pipeline")
    return (channel, pipeline, context)
  }

  @Test mutating func elementsInMemoryOfACycleAreItsVictims() throws {
    let author = builder.object(of: builder.type("Demo.Author"))
    let memory = builder.object(of: builder.type("", kind: .rawBuffer, image: nil), strongCount: nil)
    let (book, page) = (
      builder.object(of: builder.type("Demo.Book")), builder.object(of: builder.type("Demo.Page"))
    )
    builder.reference(from: author, to: author, property: "itself")
    builder.reference(from: author, to: memory, property: "", .unmanaged)
    builder.reference(from: memory, to: book, ReferenceLabel(.memory, ownership: .conservative))
    builder.reference(from: book, to: page, property: "page")

    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.objects) == [3])
    #expect(findings.map(\.victims) == [2])
  }

  @Test mutating func equalCyclesAreInstancesOfOneFinding() {
    let (book, author) = (builder.type("Demo.Book"), builder.type("Demo.Author"))
    for _ in 0..<3 { cycle(author, book) }
    let findings = analyse(builder).findings
    #expect(findings.map(\.instances) == [3])
    #expect(findings.map(\.objects) == [6])
  }

  @Test mutating func aCycleDoesNotDependOnTheOrderOfObjects() {
    let node = builder.type("Demo.Node")
    for properties in [["next", "previous"], ["previous", "next"]] {
      let (a, b) = (builder.object(of: node), builder.object(of: node))
      builder.reference(from: a, to: b, property: properties[0])
      builder.reference(from: b, to: a, property: properties[1])
    }
    let findings = analyse(builder).findings
    #expect(findings.map(\.instances) == [2])
    #expect(findings.map(steps) == [["Demo.Node.next", "Demo.Node.previous"]])
  }

  @Test mutating func theShortestCycleOfAllObjectsOfTheTypeIsReported() {
    let (future, closure) = (builder.type("Demo.Future"), builder.type("Demo.Step"))
    let outer = builder.object(of: future)
    let step = builder.object(of: closure)
    let inner = builder.object(of: future, strongCount: 2)
    builder.reference(from: outer, to: step, property: "callback")
    builder.reference(from: step, to: inner, property: "result")
    builder.reference(from: inner, to: inner, property: "callback")
    builder.reference(from: inner, to: outer, property: "source")
    #expect(analyse(builder).findings.map(steps) == [["Demo.Future.callback"]])
  }

  @Test mutating func anObjectThatHoldsItselfIsACycle() {
    let type = builder.type("Demo.Node")
    let node = builder.object(of: type)
    builder.reference(from: node, to: node, property: "next")
    #expect(analyse(builder).findings.map(steps) == [["Demo.Node.next"]])
  }

  @Test mutating func objectsHeldByACycleAreVictims() {
    let (author, _) = cycle(builder.type("Demo.Author"), builder.type("Demo.Book"))
    let photo = builder.object(of: builder.type("Demo.Photo"), bytes: 100)
    builder.reference(from: author, to: photo, property: "photo")
    let findings = analyse(builder).findings
    #expect(findings.map(\.type) == ["Demo.Author"])
    #expect(findings.map(\.victims) == [1])
    #expect(findings.map(\.objects) == [3])
    #expect(findings.map(\.bytes) == [164])
  }

  @Test mutating func aVictimOfTwoCyclesCountsOnce() {
    let (author, book) = (builder.type("Demo.Author"), builder.type("Demo.Book"))
    let first = cycle(author, book)
    let second = cycle(author, book)
    let shared = builder.object(of: builder.type("Demo.Photo"), strongCount: 2)
    builder.reference(from: first.a, to: shared, property: "photo")
    builder.reference(from: second.a, to: shared, property: "photo")
    #expect(analyse(builder).findings.map(\.objects) == [5])
  }

  @Test mutating func oneRetainFromOutsideHoldsTheWholeCycle() {
    cycle(builder.type("Demo.Author"), builder.type("Demo.Book"), outerRetains: 1)
    #expect(analyse(builder).findings.map(\.verdict) == [.overRetained])
  }

  @Test(arguments: [.weak, .unowned, .unmanaged] as [ReferenceLabel.Ownership])
  mutating func aReferenceThatKeepsNothingAliveClosesNoCycle(ownership: ReferenceLabel.Ownership) {
    let parent = builder.object(of: builder.type("Demo.Parent"))
    let child = builder.object(of: builder.type("Demo.Child"))
    builder.reference(from: parent, to: child, property: "child")
    builder.reference(from: child, to: parent, property: "parent", ownership)
    #expect(!analyse(builder).findings.contains { $0.verdict == .retainCycle })
  }

  @Test mutating func aCycleWithAWeakReferenceFromALiveObjectMayBeReleased() {
    let (author, _) = cycle(builder.type("Demo.Author"), builder.type("Demo.Book"))
    cycle(builder.type("Demo.Cat"), builder.type("Demo.Dog"))
    let cleaner = builder.object(of: builder.type("Demo.Cleaner"))
    builder.reference(from: cleaner, to: author, property: "author", .weak)
    builder.global(0x900, to: cleaner)
    let leaks = analyse(builder).findings.filter { $0.verdict == .retainCycle }
    #expect(leaks.map(\.type) == ["Demo.Author", "Demo.Cat"])
    #expect(leaks.map(\.mayBeReleased) == [true, false])
    #expect(leaks.map(\.certainty) == [.definite, .definite])
  }

  @Test mutating func aWeakReferenceFromALeakReleasesNothing() {
    let (author, book) = cycle(builder.type("Demo.Author"), builder.type("Demo.Book"))
    let (cat, _) = cycle(builder.type("Demo.Cat"), builder.type("Demo.Dog"))
    builder.reference(from: author, to: book, property: "last", .weak)
    builder.reference(from: author, to: cat, property: "cat", .unowned)
    #expect(analyse(builder).findings.map(\.mayBeReleased) == [false, false])
  }

  @Test mutating func inAPartialCaptureWeakReferencesMayBeOfAnyObject() {
    let (author, _) = cycle(builder.type("Demo.Author"), builder.type("Demo.Book"))
    cycle(builder.type("Demo.Cat"), builder.type("Demo.Dog"))
    builder.visit(author)
    builder.heapGraph(HeapGraph.Status(threads: 2, isPartial: true))
    let leaks = analyse(builder).findings
    #expect(leaks.map(\.type) == ["Demo.Author", "Demo.Cat"])
    #expect(leaks.map(\.mayBeReleased) == [true, false])
  }

  @Test mutating func inAPartialCaptureNothingIsOverRetained() {
    _ = builder.object(of: builder.type("Demo.Handle"))
    builder.heapGraph(HeapGraph.Status(threads: 0, isPartial: true))
    #expect(analyse(builder).findings.map(\.verdict) == [.growth])
  }

  @Test mutating func aCycleThatNeedsAConservativeReferenceIsProbable() {
    let a = builder.object(of: builder.type("Demo.A"))
    let b = builder.object(of: builder.type("Demo.B"))
    builder.reference(from: a, to: b, property: "b")
    builder.reference(from: b, to: a, ReferenceLabel(.memory, ownership: .conservative))
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.retainCycle])
    #expect(findings.map(\.certainty) == [.probable])
  }

  @Test mutating func aConservativeReferenceHoldsNoObjectWithBalancedRetains() {
    let (author, _) = cycle(builder.type("Demo.Author"), builder.type("Demo.Book"))
    let queue = builder.object(of: builder.type("Demo.Queue"))
    builder.reference(from: queue, to: author, ReferenceLabel(.memory, ownership: .conservative))
    builder.global(0x900, to: queue)
    let findings = analyse(builder).findings
    #expect(findings.map(\.verdict) == [.retainCycle, .heldBy])
    #expect(findings.map(\.certainty) == [.definite, .definite])
  }

  @Test mutating func aVariableIsPreferredToAConservativeReference() {
    let a = builder.object(of: builder.type("Demo.A"))
    let b = builder.object(of: builder.type("Demo.B"))
    builder.reference(from: a, to: b, property: "b")
    builder.reference(from: b, to: a, ReferenceLabel(.memory, ownership: .conservative))
    builder.global(0x900, to: a)
    #expect(analyse(builder).findings.map(\.verdict) == [.heldBy, .heldBy])
  }

  @Test mutating func moreReferencesThanRetainsMakeAFindingProbable() throws {
    let (a, b) = cycle(builder.type("Demo.A"), builder.type("Demo.B"))
    builder.reference(from: a, to: b, property: "again")
    let finding = try #require(analyse(builder).findings.first)
    #expect((finding.verdict, finding.certainty) == (.retainCycle, .probable))
    #expect(finding.remarks.count == 1)
  }

  @Test mutating func theShortestCycleIsShown() {
    let (a, b) = (builder.type("Demo.A"), builder.type("Demo.B"))
    let first = builder.object(of: a)
    let second = builder.object(of: b)
    let third = builder.object(of: b, strongCount: 2)
    builder.reference(from: first, to: second, property: "long")
    builder.reference(from: second, to: third, property: "next")
    builder.cycle(first, "short", third, "back")
    #expect(analyse(builder).findings.map(steps) == [["Demo.A.short", "Demo.B.back"]])
  }

  @Test mutating func aCycleOfTheLibrarysTypesIsALibraryLeak() {
    cycle(builder.type("Foundation.Bundle"), builder.type("Foundation.Timer"))
    #expect(analyse(builder).findings.map(\.isLibraryLeak) == [true])
  }

  @Test mutating func aCycleFromBeforeTheBaselineIsNotReported() {
    cycle(builder.type("Demo.A"), builder.type("Demo.B"))
    let baseline = builder.capture.process.next + 1
    cycle(builder.type("Demo.C"), builder.type("Demo.D"))
    let findings = analyse(builder, options: Analysis.Options(baseline: baseline)).findings
    #expect(findings.map(\.type) == ["Demo.C"])
  }

  /// An old word may equal the address of a new object.
  @Test(arguments: [ReferenceLabel.Ownership.strong, .conservative])
  mutating func aCycleFromBeforeTheBaselineIsReportedForWhatItCertainlyKeeps(
    ownership: ReferenceLabel.Ownership
  ) {
    let older = builder.object(of: builder.type("Demo.A"))
    builder.reference(from: older, to: older, property: "itself")
    let baseline = builder.capture.process.next + 1
    let object = builder.object(of: builder.type("Demo.B"))
    builder.reference(from: older, to: object, ReferenceLabel(.memory, ownership: ownership))
    let findings = analyse(builder, options: Analysis.Options(baseline: baseline)).findings
    #expect(findings.contains { $0.verdict == .retainCycle } == (ownership == .strong))
  }

  @Test mutating func onlyCyclesOfSelectedObjectsAreFound() {
    cycle(builder.type("Demo.A"), builder.type("Demo.B"))
    cycle(builder.type("Demo.C"), builder.type("Demo.D"))
    let findings = analyse(builder, options: Analysis.Options(objects: [2, 3])).findings
    #expect(findings.map(\.type) == ["Demo.C"])
  }

  @Test mutating func leaksAreSortedBeforeGrowth() {
    for _ in 0..<9 { _ = builder.object(of: builder.type("Demo.Many"), strongCount: nil) }
    cycle(builder.type("Demo.A"), builder.type("Demo.B"))
    #expect(analyse(builder).findings.first?.verdict == .retainCycle)
  }

  @Test mutating func theFingerprintDependsOnTypesAndPropertiesOnly() {
    cycle(builder.type("Demo.A"), builder.type("Demo.B"))
    var other = CaptureBuilder()
    other.objects(7, of: other.type("Demo.Unrelated"))
    let (a, b) = (other.type("Demo.A"), other.type("Demo.B"))
    let (second, first) = (other.object(of: b), other.object(of: a))
    other.reference(from: first, to: second, property: "next")
    other.reference(from: second, to: first, property: "back")
    let fingerprints = [builder, other].map {
      analyse($0).findings.filter { $0.verdict == .retainCycle }.map(\.fingerprint)
    }
    #expect(fingerprints[0].count == 1 && fingerprints[0] == fingerprints[1])
  }

  @discardableResult
  private mutating func cycle(_ a: Int, _ b: Int, outerRetains: UInt32 = 0) -> (a: UInt32, b: UInt32) {
    let first = builder.object(of: a, strongCount: 1 + outerRetains)
    let second = builder.object(of: b)
    builder.cycle(first, "next", second, "back")
    return (first, second)
  }
}

/// A path's steps as `Type.reference`.
func steps(_ finding: Finding) -> [String] {
  finding.path.map { step in
    let joint = step.reference.isEmpty || step.reference.hasPrefix("[") ? "" : "."
    return step.type + joint + step.reference
  }
}
