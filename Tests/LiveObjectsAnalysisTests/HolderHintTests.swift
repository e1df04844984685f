import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct HolderHintTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()
  private let own: UInt64 = 0x101
  private let library: UInt64 = 0x901

  private static let closure = Finding.Hint.Place(
    kind: .closure, name: "closure #1 in Demo.Ticker.start()", captured: "self",
    file: "/src/Demo/Loader.swift",
    line: 1)

  init() {
    symbolicator.define(own, [.user("closure #1 in Ticker.start()")])
    symbolicator.define(library, [.system("closure #1 in FileHandle.monitor()", module: "libFoundation.so")])
  }

  @Test(
    arguments: [
      ("dispatch source (timer), not cancelled", .cancelSource),
      ("timer on the main run loop", .captureWeakly),
      ("timer on a run loop", .captureWeakly), ("work item that waits for its time (asyncAfter)", nil),
      ("dispatch group, not left", nil),
    ] as [(String, Finding.Hint.Action?)])
  mutating func aHandlerIsTakenBackByItsHolder(holder: String, action: Finding.Hint.Action?) {
    handler(own, of: holder, to: object("Demo.Ticker"))
    #expect(hint == action.map { Finding.Hint($0, at: [Self.closure]) })
  }

  @Test mutating func theContextOfAHandlerHasItsCaptures() {
    let (context, ticker) = (
      builder.object(of: builder.type("", kind: .closureContextOrBox)), object("Demo.Ticker")
    )
    builder.reference(from: context, to: ticker, ReferenceLabel(.capture, text: "Demo.Ticker"))
    handler(own, of: "dispatch source (read), not cancelled", to: context)
    #expect(hint == Finding.Hint(.cancelSource, at: [Self.closure]))
  }

  /// `FileHandle.readabilityHandler` has a source of its own, which the program cannot cancel.
  @Test mutating func theSourceOfALibraryIsNotForTheProgramToCancel() {
    let context = builder.object(of: builder.type("", kind: .closureContextOrBox))
    builder.reference(
      from: context, to: object("Demo.Ticker"), ReferenceLabel(.capture), function: builder.function(own))
    handler(library, of: "dispatch source (read), not cancelled", to: context)
    #expect(hint == nil)
  }

  /// XCTest's own properties have no declaration in the program, and are not for it to clear.
  @Test(arguments: [("client.socket", "client"), ("teardownBlocks", nil)])
  mutating func aPropertyOfATestCaseIsToBeCleared(path: String, property: String?) {
    symbolicator.define(property: "Demo.BaseTests.client", "/src/Demo/BaseTests.swift", 7)
    let tests = builder.type("Demo.LoadTests")
    builder.superclasses(of: tests, ["Demo.BaseTests", "XCTest.XCTestCase", "XCTest.XCTest"])
    builder.reference(from: builder.object(of: tests), to: object("Demo.Ticker"), property: path)
    let place = property.map {
      Finding.Hint.Place(
        kind: .property, name: "Demo.BaseTests.\($0)", file: "/src/Demo/BaseTests.swift", line: 7)
    }
    #expect(hint == place.map { Finding.Hint(.clearProperty, at: [$0]) })
  }

  @Test(arguments: ["Foundation.NotificationCenter", "Demo.EventBus"])
  mutating func anObserverIsRemovedFromItsCenter(center: String) {
    let (center, isOfFoundation) = (object(center), center != "Demo.EventBus")
    builder.reference(
      from: center, to: object("Demo.Ticker"), property: "block", function: builder.function(own))
    builder.global(0x500, to: center)
    #expect(hint == (isOfFoundation ? Finding.Hint(.removeObserver, at: [Self.closure]) : nil))
  }

  @Test mutating func aClosureThatKeepsACenterIsNoObserver() {
    let owner = object("Demo.Hub")
    let center = object("Foundation.NotificationCenter")
    builder.reference(from: owner, to: center, property: "makeCenter", function: builder.function(own))
    builder.reference(from: center, to: object("Demo.Ticker"), property: "last")
    builder.global(0x500, to: owner)
    #expect(hint == nil)
  }

  @Test(arguments: [
    ("static Task<>.sleep(nanoseconds:)", true, true), ("AsyncStream.Iterator.next()", true, true),
    ("specialized static Task<>._sleep<A>(until:tolerance:clock:)", true, true),
    ("static Task<>.sleep(nanoseconds:)", false, false), ("withCheckedContinuation(_:)", true, false),
  ]) mutating func aTaskThatItsObjectKeepsIsToBeEnded(function: String, isKept: Bool, hasHint: Bool) {
    let task = builder.object(
      of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: isKept ? 2 : 1)
    let ticker = object("Demo.Ticker")
    builder.reference(from: task, to: ticker, ReferenceLabel(.taskClosure))
    if isKept { builder.reference(from: ticker, to: task, property: "task") }
    builder.root(.cMemory(address: 64), to: task, isInUse: true)
    symbolicator.define(0x900, [.system(function, module: "libswift_Concurrency.so")])
    symbolicator.define(0x901, [.user("closure #1 in Ticker.start()", file: "/<compiler-generated>")])
    builder.task(task, .suspended, frames: [0x900, 0x901, own].map { Frame(image: 0, offset: $0) })
    var place = Self.closure
    (place.kind, place.captured) = (.suspension, nil)
    #expect(hint == (hasHint ? Finding.Hint(.endTask, at: [place]) : nil))
  }

  /// Another package's sequence waits, in code of its own and of the compiler's.
  @Test(arguments: [("Feed.Iterator.next()", true), ("Feed.run()", false)])
  mutating func aTaskThatIteratesASequenceOfAPackageIsNamedAfterTheProgram(function: String, hasHint: Bool) {
    let task = builder.object(of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: 2)
    let ticker = object("Demo.Ticker")
    builder.reference(from: task, to: ticker, ReferenceLabel(.taskClosure))
    builder.reference(from: ticker, to: task, property: "task")
    builder.root(.cMemory(address: 64), to: task, isInUse: true)
    let file = "/src/.build/checkouts/wire/Sources/Wire/Feed.swift"
    symbolicator.define(
      0x910, [.user("closure #1 in \(function)", module: "Wire", file: "/<compiler-generated>")])
    symbolicator.define(0x920, [.user(function, module: "Wire", file: file)])
    builder.task(task, .suspended, frames: [0x910, 0x920, own].map { Frame(image: 0, offset: $0) })
    var place = Self.closure
    (place.kind, place.captured) = (.suspension, nil)
    #expect(hint == (hasHint ? Finding.Hint(.endTask, at: [place]) : nil))
  }

  /// All of it goes when the task ends: one finding, of the object that holds the task. Several objects of a type may be
  /// growth, and the main task holds whatever the program has.
  @Test(arguments: [
    (1, true, "run()"), (1, false, "run()"), (2, true, "run()"), (1, false, "static App.main()"),
  ])
  mutating func whatOneTaskHoldsIsOneFinding(stores: Int, isKept: Bool, function: String) throws {
    symbolicator.define(0x900, [.user(function)])
    let task = builder.object(
      of: builder.type("Swift.Task", kind: .task, image: nil), strongCount: isKept ? 2 : 1)
    let ticker = object("Demo.Ticker")
    let store = builder.type("Demo.Store")
    for _ in 0..<stores {
      builder.reference(from: task, to: builder.object(of: store), ReferenceLabel(.taskFrame))
    }
    builder.reference(from: task, to: ticker, ReferenceLabel(.taskClosure))
    if isKept { builder.reference(from: ticker, to: task, property: "task") }
    builder.root(.cMemory(address: 64), to: task, isInUse: true)
    builder.task(task, .suspended, frames: [Frame(image: 0, offset: 0x900)])
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
      .filter { $0.verdict == .heldBy }
    guard stores == 1, function == "run()" else {
      #expect(Set(findings.map(\.type)) == ["Demo.Store", "Demo.Ticker"])
      return
    }
    let finding = try #require(findings.count == 1 ? findings[0] : nil)
    #expect(finding.type == (isKept ? "Demo.Ticker" : "Demo.Store"))
    #expect((finding.instances, finding.objects, finding.victims) == (1, 2, 1))
    #expect(finding.victimTypes == [.init(isKept ? "Demo.Store" : "Demo.Ticker", 1)])
  }

  private mutating func object(_ type: String) -> UInt32 { builder.object(of: builder.type(type)) }

  private mutating func handler(_ code: UInt64, of holder: String, to object: UInt32) {
    let label = builder.label(ReferenceLabel(.handler, text: holder))
    builder.root(.handler(Frame(image: 0, offset: code), of: label), to: object)
  }

  private var hint: Finding.Hint? {
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    return findings.first { $0.type == "Demo.Ticker" && $0.verdict == .heldBy }?.hint
  }
}
