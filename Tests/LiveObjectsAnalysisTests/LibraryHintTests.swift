import CaptureFixtures
import LiveObjectsAnalysis
import LiveObjectsCapture
import Testing

@Suite struct LibraryHintTests {
  private var builder = CaptureBuilder()
  private let symbolicator = TableSymbolicator()
  private let created: UInt32

  init() {
    created = builder.stackTrace([0x100, 0x200])
    symbolicator.define(0x100, [.user("ClientBootstrap.connect(to:)", module: "NIOPosix")])
    symbolicator.define(0x200, [.user("PipelineTests.testEcho()", file: "/demo/Tests.swift", line: 7)])
  }

  private mutating func object(_ type: String, _ stackTrace: UInt32? = nil) -> UInt32 {
    builder.object(of: builder.type(type), stackTrace: stackTrace ?? created)
  }

  private mutating func cycle(_ first: UInt32, _ property: String, _ second: UInt32, _ back: String) {
    builder.reference(from: first, to: second, ReferenceLabel(.objectProperty, text: property))
    builder.reference(from: second, to: first, ReferenceLabel(.objectProperty, text: back))
  }

  private func hint() throws -> Finding.Hint? {
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    return try #require(findings.first { $0.verdict == .retainCycle }).hint
  }

  private static let call = Finding.Hint.Place(
    kind: .call, name: "Demo.PipelineTests.testEcho()", file: "/demo/Tests.swift", line: 7)

  @Test mutating func aPipelineThatIsLeftNeedsItsChannelClosed() throws {
    let (head, tail) = (object("NIOCore.ChannelHandlerContext"), object("NIOCore.ChannelHandlerContext"))
    cycle(head, "next", tail, "prev")
    #expect(try hint() == Finding.Hint(.closeChannel, at: [Self.call]))
  }

  /// Nothing runs its event loop after `close()`.
  @Test(arguments: [true, false])
  mutating func anEmbeddedChannelNeedsToBeFinished(isPartOfCycle: Bool) throws {
    let made = builder.stackTrace([0x300, 0x200])
    symbolicator.define(0x300, [.user("EmbeddedChannel.init(handlers:loop:)", module: "NIOEmbedded")])
    let (head, tail) = (
      object("NIOCore.ChannelHandlerContext", made), object("NIOCore.ChannelHandlerContext", made)
    )
    cycle(head, "next", tail, "prev")
    if isPartOfCycle { cycle(head, "channel", object("NIOEmbedded.EmbeddedChannel"), "head") }
    #expect(try hint() == Finding.Hint(.finishChannel, at: [Self.call]))
  }

  /// The program adds a handler to each connection that its server accepts, and closes none there.
  @Test(arguments: ["ServerSocketChannel.readFromSocket()", "ChannelPipeline.addHandler(_:name:position:)"])
  mutating func aCallThatCreatesNoChannelIsNotNamed(function: String) throws {
    let call = builder.stackTrace([0x300, 0x200])
    symbolicator.define(0x300, [.user(function, module: "NIOPosix")])
    let (head, tail) = (
      object("NIOCore.ChannelHandlerContext", call), object("NIOCore.ChannelHandlerContext", call)
    )
    cycle(head, "next", tail, "prev")
    #expect(try hint() == nil)
  }

  /// A channel of the event loop's own, of an accepted connection, or of another package is not the program's to close.
  @Test(
    arguments: [
      (
        [
          ("ClientBootstrap.makeSocketChannel(eventLoop:)", "NIOPosix"),
          ("closure #1 in ClientBootstrap.connect(host:port:)", "NIOPosix"),
        ], "NIOPosix.ClientBootstrap.connect(host:port:)"
      ),
      (
        [("ClientBootstrap.connect(to:)", "NIOPosix"), ("Client.open()", "Demo")], "Demo.Client.open()"
      ),
      ([("ServerSocketChannel.readFromSocket()", "NIOPosix")], nil),
      ([("ClientBootstrap.connect(host:port:)", "NIOPosix"), ("Pool.connect()", "AsyncHTTPClient")], nil),
    ] as [([(String, String)], String?)])
  mutating func anOpenChannelNeedsToBeClosed(calls: [(function: String, module: String)], call: String?)
    throws
  {
    let file = "/src/.build/checkouts/library/Sources/File.swift"
    for (index, frame) in calls.enumerated() {
      let file = frame.module == "Demo" ? "/demo/Client.swift" : file
      symbolicator.define(0x800 + UInt64(index), [.user(frame.function, module: frame.module, file: file)])
    }
    let stackTrace = builder.stackTrace(calls.indices.map { 0x800 + UInt64($0) })
    symbolicator.define(variable: 0x900, "static NIOPosix.Loops.all")
    builder.global(0x900, to: object("NIOPosix.SocketChannel", stackTrace))
    let finding = try #require(Analysis(of: builder.capture, symbolicator: symbolicator).findings.first)
    #expect(finding.hint?.places.map(\.name) == call.map { [$0] })
    #expect((finding.dependency == nil) == (call != nil))
  }

  /// A test that closes its channel may keep it in a property.
  @Test(arguments: [("NIOPosix.Selector<NIOPosix.NIORegistration>", true), ("NIOPosixTests.Client", false)])
  mutating func aChannelThatTheProgramHoldsMayBeClosed(holder: String, isOpen: Bool) throws {
    symbolicator.define(
      0x800, [.user("ClientBootstrap.connect(to:)", module: "NIOPosix", file: "/src/checkouts/n/File.swift")])
    symbolicator.define(0x801, [.user("Client.open()", module: "Demo", file: "/demo/Client.swift")])
    let channel = object("NIOPosix.SocketChannel", builder.stackTrace([0x800, 0x801]))
    let owner = object(holder)
    builder.reference(from: owner, to: channel, property: "channel")
    builder.global(0x900, to: owner)
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    let finding = try #require(findings.first { $0.type == "NIOPosix.SocketChannel" })
    #expect(finding.hint?.action == (isOpen ? .closeChannel : nil))
  }

  /// The event loop lives on, and holds what a task that waits for its time captures: one finding, of the program's
  /// object.
  @Test(arguments: [
    "EventLoop.scheduleRepeatedTask(initialDelay:delay:notifying:_:)", "EventLoop.execute(_:)",
  ])
  mutating func aTaskOfAnEventLoopThatLivesOnIsToBeCancelled(method: String) throws {
    symbolicator.define(variable: 0x900, "static NIOPosix.Loops.all")
    let file = "/src/.build/checkouts/swift-nio/Sources/NIOCore/EventLoop.swift"
    symbolicator.define(0x810, [.user(method, module: "NIOCore", file: file)])
    let scheduled = builder.stackTrace([0x810, 0x200])
    let queue = object("Swift._ContiguousArrayStorage<NIOPosix.ScheduledTask>")
    let (task, model) = (object("NIOCore.RepeatedTask", scheduled), object("Demo.Model"))
    builder.global(0x900, to: queue)
    builder.reference(from: queue, to: task, ReferenceLabel(.element), element: 0)
    builder.reference(from: task, to: model, property: "task")
    let findings = Analysis(of: builder.capture, symbolicator: symbolicator).findings
    let finding = try #require(findings.first { $0.type == "Demo.Model" })
    let isScheduled = method.contains("schedule")
    #expect(finding.hint == (isScheduled ? Finding.Hint(.cancelTask, at: [Self.call]) : nil))
    #expect(finding.victims == (isScheduled ? 1 : 0))
    #expect(findings.contains { $0.type == "NIOCore.RepeatedTask" } == !isScheduled)
  }

  @Test mutating func aHandlerThatKeepsItsContextShouldKeepItWeakly() throws {
    let (context, handler) = (object("NIOCore.ChannelHandlerContext"), object("Demo.EchoHandler"))
    builder.reference(from: context, to: handler, property: "inboundHandler")
    builder.reference(from: handler, to: context, ReferenceLabel(.objectProperty, text: "context"))
    let hint = try #require(try hint())
    #expect(hint.action == .declareWeak && hint.places.map(\.name) == ["Demo.EchoHandler.context"])
  }

  /// The promise of `connect(to:)` is the channel's.
  @Test(arguments: [
    ("EventLoop.makePromise(of:file:line:)", true), ("ChannelOutboundInvoker.connect(to:file:line:)", false),
  ])
  mutating func aFutureWithCallbacksNeedsItsPromiseCompleted(function: String, isOfProgram: Bool) throws {
    let made = builder.stackTrace([0x300, 0x200])
    symbolicator.define(0x300, [.user(function, module: "NIOCore")])
    let (future, waiter) = (object("NIOCore.EventLoopFuture<Swift.Int>", made), object("Demo.Waiter"))
    cycle(waiter, "future", future, "_callbacks.firstCallback")
    let completion = Finding.Hint(.completePromise, at: [Self.call])
    #expect((try hint() == completion) == isOfProgram)
  }

  @Test mutating func aScheduledTaskNeedsToBeCancelled() throws {
    let scheduled = builder.stackTrace([0x300, 0x200])
    symbolicator.define(0x300, [.user("EventLoop.scheduleTask(in:_:)", module: "NIOCore")])
    let (future, waiter) = (object("NIOCore.EventLoopFuture<Swift.Int>", scheduled), object("Demo.Waiter"))
    cycle(waiter, "future", future, "_callbacks.firstCallback")
    #expect(try hint() == Finding.Hint(.cancelTask, at: [Self.call]))
  }

  @Test mutating func aRepeatedTaskIsNamedByTheCallThatScheduledItFirst() throws {
    let again = builder.stackTrace([0x300, 0x700])
    symbolicator.define(0x300, [.user("EventLoop.scheduleTask(in:_:)", module: "NIOCore")])
    symbolicator.define(0x700, [.user("PipelineTests.advanceTime()")])
    let future = object("NIOCore.EventLoopFuture<Swift.Int>", again)
    cycle(object("NIOCore.RepeatedTask"), "scheduled", future, "_callbacks.firstCallback")
    #expect(try hint() == Finding.Hint(.cancelTask, at: [Self.call]))
  }

  /// `HTTP1ClientChannelHandlerTests.testIdleWriteTimeout` of AsyncHTTPClient: an event loop that does not run.
  @Test mutating func aPromiseDoesNotEndACycleWithoutFutures() throws {
    let made = builder.stackTrace([0x300, 0x200])
    symbolicator.define(0x300, [.user("EventLoop.makePromise(of:file:line:)", module: "NIOCore")])
    let future = object("NIOCore.EventLoopFuture<Swift.Int>", made)
    let (loop, bag, waiter) = (object("Demo.ALoop"), object("Demo.Bag"), object("Demo.Waiter"))
    builder.cycle(loop, "tasks", bag, "loop")
    builder.cycle(bag, "waiter", waiter, "bag")
    cycle(waiter, "future", future, "_callbacks.firstCallback")
    #expect(try hint()?.action != .completePromise)
  }

  /// `HappyEyeballsTest.testDelayedChannelCreation` of SwiftNIO.
  @Test mutating func aPromiseOfTheProgramIsCompletedRatherThanATaskOfTheLibraryCancelled() throws {
    let connecting = builder.stackTrace([0x300, 0x400, 0x500])
    symbolicator.define(0x300, [.user("EventLoop.scheduleTask(in:_:)", module: "NIOCore")])
    symbolicator.define(0x400, [.user("Connector.connect()", module: "NIOPosix")])
    symbolicator.define(0x500, [.user("PipelineTests.connect()")])
    let made = builder.stackTrace([0x600, 0x200])
    symbolicator.define(0x600, [.user("EventLoop.makePromise(of:file:line:)", module: "NIOCore")])
    let type = "NIOCore.EventLoopFuture<Swift.Int>"
    let (timeout, promised, waiter) = (object(type, connecting), object(type, made), object("Demo.Waiter"))
    builder.cycle(timeout, "_callbacks.firstCallback", waiter, "timeout")
    cycle(waiter, "future", promised, "_callbacks.firstCallback")
    #expect(try hint() == Finding.Hint(.completePromise, at: [Self.call]))
  }

  /// In SwiftNIO's own package, its closures are the program's. An accepted connection has no call of a test.
  @Test mutating func aCallbackDoesNotCaptureAFutureWeakly() throws {
    let accepted = builder.stackTrace([0x300])
    symbolicator.define(0x300, [.user("ServerSocketChannel.readFromSocket()", module: "NIOPosix")])
    symbolicator.define(0x101, [.user("closure #1 in EventLoopFuture.flatMap(_:)", module: "NIOCore")])
    let future = object("NIOCore.EventLoopFuture<()>", accepted)
    let callback = builder.object(
      of: builder.type("", kind: .closureContextOrBox), stackTrace: accepted)
    builder.reference(
      from: future, to: callback, property: "_callbacks.firstCallback", function: builder.function(0x101))
    builder.reference(
      from: callback, to: future, ReferenceLabel(.capture, text: "NIOCore.EventLoopFuture<()>"))
    #expect(try hint() == nil)
  }

  @Test(arguments: [["Swift.String"], ["Swift.String", "Swift.String"], ["Swift.String", "Swift.Int"]])
  mutating func anAssignmentHoldsItsObject(inputs: [String]) throws {
    symbolicator.define(
      0x400, [.user("implicit closure #2 in AnyCancellable.init(_:)", module: "OpenCombine")])
    let model = object("Demo.SearchModel")
    let subject = object("OpenCombine.CurrentValueSubject<Swift.String, Swift.Never>")
    builder.reference(from: model, to: subject, ReferenceLabel(.objectProperty, text: "subject"))
    for (index, input) in inputs.enumerated() {
      let call = builder.stackTrace([0x100, 0x300 + UInt64(index)])
      symbolicator.define(
        0x300 + UInt64(index), [.user("SearchModel.bind()", file: "/demo/Search.swift", line: 9 + index)])
      let assignment = object("OpenCombine.Subscribers.Assign<Demo.SearchModel, \(input)>", call)
      let token = object("OpenCombine.AnyCancellable", call)
      cycle(subject, "downstream", assignment, "subscription")
      builder.reference(from: assignment, to: model, ReferenceLabel(.property, text: "object"))
      let cancel = builder.object(of: builder.type("", kind: .closureContextOrBox), stackTrace: call)
      builder.reference(from: token, to: cancel, property: "_cancel", function: builder.function(0x400))
      builder.reference(from: cancel, to: assignment, ReferenceLabel(.capture, text: "Assign"))
      builder.reference(from: model, to: token, ReferenceLabel(.objectProperty, text: "token\(index)"))
    }
    let hint = try #require(try hint())
    #expect(hint.action == .assignWeakly)
    #expect(hint.places.map(\.line) == inputs.indices.map { 9 + $0 })
  }

  @Test mutating func aSessionNeedsToBeInvalidated() throws {
    let (session, client) = (object("FoundationNetworking.URLSession"), object("Demo.Client"))
    cycle(client, "session", session, "delegate")
    #expect(try hint() == Finding.Hint(.invalidateSession, at: [Self.call]))
  }
}
