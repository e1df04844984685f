import LiveObjectsCapture

/// Recognises what a library keeps on purpose, and gives up once the program has made a certain call: there the call
/// is missing, and no reference is a mistake.
struct LibraryHints {
  let naming: PathNaming
  let traces: NamedTraces

  /// - Returns: `nil` for the program's own cycles.
  func hint(for leak: LeakTally) -> DraftHint? {
    guard leak.group.verdict == .retainCycle else { return nil }
    let core = leak.group.core.prefix(Self.mostObjects).map(Int.init)
    return unclosedChannel(core) ?? incompletePromise(core, on: leak.path) ?? validSession(core)
      ?? assignment(leak, core)
  }

  /// Objects of a leak that are examined.
  private static let mostObjects = 1 << 12

  /// A pipeline of SwiftNIO and its handlers' contexts hold each other until the channel is closed. One context
  /// by itself is out of its pipeline, and a handler keeps it.
  private func unclosedChannel(_ core: [Int]) -> DraftHint? {
    let contexts = core.lazy.filter { isOf("NIOCore.ChannelHandlerContext", $0) }.prefix(2)
    guard contexts.count == 2 || core.contains(where: { isOf("NIOCore.ChannelPipeline", $0) }) else {
      return nil
    }
    let channels = core.filter { type(of: $0).hasPrefix("NIO") && type(of: $0).hasSuffix("Channel") }
    let created = (channels + core).first { !isAcceptedOrAdded($0) && call(for: $0) != nil }
    return created.flatMap { hint(isEmbedded($0) ? .finishChannel : .closeChannel, to: [$0]) }
  }

  /// Whether the channel's event loop runs only when the program runs it: closed, the channel still waits for that.
  private func isEmbedded(_ object: Int) -> Bool {
    isOf("NIOEmbedded.EmbeddedChannel", object)
      || trace(of: object).contains { $0.source.function?.hasPrefix("EmbeddedChannel.init(") == true }
  }

  /// Whether the object is of a connection that a server has accepted, or of a handler that was added to a pipeline: the
  /// program's call did not create the channel.
  private func isAcceptedOrAdded(_ object: Int) -> Bool {
    trace(of: object).lazy.compactMap(\.source.function).contains {
      $0.holds("ServerSocketChannel.readFromSocket") || $0.holds("ChannelPipeline.add")
    }
  }

  /// A future of SwiftNIO holds its callbacks until its promise is completed. That of a task that the program has
  /// scheduled is the event loop's. Those that SwiftNIO has made, for a channel or for itself, are not the program's to
  /// complete. A cycle without any future does not end with a promise.
  private func incompletePromise(_ core: [Int], on path: ObjectPath?) -> DraftHint? {
    let onPath = Set(path?.references.prefix(Self.mostObjects).map(naming.graph.target) ?? core)
    let futures = core.filter { isOf("NIOCore.EventLoopFuture", $0) && hasCallbacks($0) }
    let scheduled = futures.filter { isMade($0, by: "scheduleTask(") || isMade($0, by: "flatScheduleTask(") }
    let promised = futures.contains(where: onPath.contains) ? futures.filter(isPromised) : []
    // Its futures are made anew each time that it runs.
    let repeated = core.filter { isOf("NIOCore.RepeatedTask", $0) }
    guard repeated.isEmpty else { return hint(.cancelTask, to: repeated) }
    return scheduled.isEmpty || !promised.isEmpty
      ? hint(.completePromise, to: promised) : hint(.cancelTask, to: scheduled)
  }

  /// A URL session of Foundation holds its delegate until it is invalidated.
  private func validSession(_ core: [Int]) -> DraftHint? {
    hint(.invalidateSession, to: core.filter { isOf("FoundationNetworking.URLSession", $0) })
  }

  /// `assign(to:on:)` of OpenCombine holds the object whose property it sets, and has no weak form.
  private func assignment(_ leak: LeakTally, _ core: [Int]) -> DraftHint? {
    let single = leak.cuts.single.compactMap(\.cut.assignment)
    let together = leak.cuts.together.compactMap(\.cut.assignment)
    let types = single.isEmpty && together.count == leak.cuts.together.count ? together : single
    let holders = core.filter { types.contains(naming.graph.capture.objects[$0].type) }
    var seen: Set<Finding.Hint.Place> = []
    let calls = holders.compactMap(call).filter { seen.insert($0).inserted }
      .sorted { ($0.file ?? "", $0.line ?? 0) < ($1.file ?? "", $1.line ?? 0) }.prefix(Self.mostCalls)
    return calls.isEmpty ? nil : DraftHint(action: .assignWeakly, places: calls.map { DraftHint.Place($0) })
  }

  /// Calls that a hint names.
  private static let mostCalls = 4

  /// An event loop of SwiftNIO holds its channels until they are closed. It may open a client's channel by itself later:
  /// then the program's call is not on the stack, and SwiftNIO's own stands for it. Those that a server has accepted,
  /// and that another package has opened, are not for the program to close. One that the program itself holds may be
  /// closed.
  ///
  /// - Parameters:
  ///   - holder: the last step of the path to the channel.
  ///   - stackTraces: of the allocations of such channels.
  func hint(
    forOpen channel: Int, heldBy holder: Finding.PathStep?, allocatedAt stackTraces: [UInt32]
  ) -> Finding.Hint? {
    let type = type(of: channel)
    guard type.hasPrefix("NIOPosix."), type.hasSuffix("Channel"),
      holder?.type.split(separator: " ").last?.hasPrefix("NIOPosix.") == true
    else { return nil }
    return stackTraces.lazy.compactMap(bootstrapCall).first.map { Finding.Hint(.closeChannel, at: [$0]) }
  }

  /// The program's call, or `NIOPosix.ClientBootstrap.connect(host:port:)`; `nil` where another package called that.
  private func bootstrapCall(_ stackTrace: UInt32) -> Finding.Hint.Place? {
    let frames = traces.fromCallSite(stackTrace).map { traces.frames[$0] }
      .filter { $0.origin == .user && !$0.isCompilerGenerated }
    let isBootstrap = { (frame: NamedFrame) in frame.source.function?.holds("ClientBootstrap.") == true }
    guard let call = frames.lastIndex(where: { $0.source.module.hasPrefix("NIO") && isBootstrap($0) }) else {
      return nil
    }
    guard let caller = frames[call...].first(where: { !$0.source.module.hasPrefix("NIO") || $0.isTest })
    else {
      let function = frames[call].source.function ?? ""
      return Finding.Hint.Place(
        kind: .call, name: "\(frames[call].source.module).\(function.split(separator: " in ").last ?? "")")
    }
    return caller.isOfSwiftNIO ? nil : Finding.Hint.Place(caller: caller)
  }

  /// An event loop of SwiftNIO holds what a scheduled task captures until the task has run, or is cancelled.
  ///
  /// - Parameter path: from the event loop to what it holds.
  func hint(forScheduledOn path: ObjectPath) -> Finding.Hint? {
    let objects = ([path.start] + path.references.map(naming.graph.target)).suffix(Self.mostSteps)
    guard objects.contains(where: isSchedule) else { return nil }
    let scheduled = objects.reversed().lazy.filter { isMade($0, by: "chedule") }
    return scheduled.compactMap(call).first.map { Finding.Hint(.cancelTask, at: [$0]) }
  }

  private static let mostSteps = 16

  /// Whether the object is the queue of an event loop's scheduled tasks.
  private func isSchedule(_ object: Int) -> Bool {
    naming.name(of: object) == "Swift._ContiguousArrayStorage<NIOPosix.ScheduledTask>"
  }

  private func hasCallbacks(_ future: Int) -> Bool {
    naming.graph.references(from: future).contains { naming.label($0).text.hasPrefix("_callbacks") }
  }

  private func type(of object: Int) -> Substring { naming.name(of: object).prefix(before: "<") }

  private func isOf(_ name: String, _ object: Int) -> Bool { type(of: object) == name }

  // MARK: - Where the program made the library create an object

  private func trace(of object: Int) -> [NamedFrame] {
    traces.fromCallSite(naming.graph.capture.objects[object].stackTrace).map { traces.frames[$0] }
  }

  /// Whether the program called a method of an event loop for the object.
  private func isMade(_ object: Int, by method: StaticString) -> Bool {
    entry(of: object).map { $0.holds("EventLoop.") && $0.holds(method) } ?? false
  }

  /// Whether the program made a promise for the object.
  private func isPromised(_ object: Int) -> Bool {
    entry(of: object).map { $0.holds(".makePromise(") || $0.hasPrefix("EventLoopPromise.init(") } ?? false
  }

  /// The function of SwiftNIO that the program called for the object.
  private func entry(of object: Int) -> String? {
    trace(of: object).prefix(while: \.isOfSwiftNIO).last?.source.function
  }

  /// The program's call for which the library allocated the object.
  private func call(for object: Int) -> Finding.Hint.Place? {
    trace(of: object).first { $0.origin == .user && !$0.isCompilerGenerated && !$0.isOfSwiftNIO }
      .map { Finding.Hint.Place(caller: $0) }
  }

  private func hint(_ action: Finding.Hint.Action, to objects: [Int]) -> DraftHint? {
    objects.lazy.compactMap(call).first.map { DraftHint(action: action, places: [DraftHint.Place($0)]) }
  }
}

extension NamedFrame {
  fileprivate var isTest: Bool { source.module.hasSuffix("Tests") }

  fileprivate var isOfSwiftNIO: Bool {
    (source.module.hasPrefix("NIO") && !isTest) || isCheckedOut
  }
}
