/// Handlers of libraries below Swift: `LibraryHandlers.swift` of the fixture.
extension ExpectedFinding {
  /// Nothing but the object itself can have its handler called.
  static let libraryHandlers: [ExpectedFinding] = [
    .source(
      "inactiveSource", "Heartbeat", "eventHandler (not activated)", "closure #1 in Heartbeat.makeTimer()"),
    .source(
      "suspendedSource", "Heartbeat", "eventHandler (suspended)", "closure #1 in Heartbeat.makeTimer()"),
    .source("unscheduledSource", "Heartbeat", "eventHandler", "closure #1 in Heartbeat.startUnscheduled()"),
    .source("dataSource", "Heartbeat", "eventHandler", "closure #1 in Heartbeat.countNumbers()"),
    .source(
      "sourceWithCancelHandler", "PipeReader", "cancelHandler (not activated)",
      "closure #2 in PipeReader.startWithCancelHandler()", victims: 5),
    .cycle(
      "suspendedQueue",
      ["Outbox → queue", "Dispatch.DispatchQueue → work (suspended)", "closure #1 in Outbox.send() → self"],
      certainty: "probable"),
    .cycle(
      "unscheduledTimer",
      ["Ticker → timer", "Foundation.Timer → _fire", "closure #1 in Ticker.makeTimer() → self"],
      victims: 1, certainty: "probable"),
  ]

  private static func source(
    _ scenario: String, _ owner: String, _ handler: String, _ closure: String, victims: Int = 0
  ) -> ExpectedFinding {
    .cycle(
      scenario, ["\(owner) → source", "Dispatch.DispatchSource → \(handler)", "\(closure) → self"],
      victims: victims, certainty: "probable")
  }

  /// What will call the handler has a name.
  static let heldByHandlers: [ExpectedFinding] = {
    var held: [ExpectedFinding] = [
      .held(
        "timerSource", "Heartbeat",
        by: ["dispatch source (timer), not cancelled → ", "closure #1 in Heartbeat.makeTimer() → self"]),
      .held(
        "readSource", "PipeReader",
        by: ["dispatch source (read), not cancelled → ", "closure #1 in PipeReader.start() → self"]),
      .held(
        "signalSource", "Heartbeat",
        by: ["dispatch source (signal), not cancelled → ", "closure #1 in Heartbeat.countSignals() → self"]),
      .held(
        "laterWork", "Outbox",
        by: [
          "work item that waits for its time (asyncAfter) → ", "closure #1 in Outbox.send(after:) → self",
        ]),
      .held(
        "laterWorkItem", "Outbox",
        by: [
          "work item that waits for its time (asyncAfter) → ",
          "closure #1 in Outbox.sendItem(after:) → self",
        ]),
      .held(
        "heldQueue", "Outbox",
        by: [
          "global heldQueue → ", "Dispatch.DispatchQueue → work (suspended)",
          "closure #1 in Outbox.send() → self",
        ], certainty: "probable"),
      .held(
        "waitingGroup", "Outbox",
        by: [
          "global waitingGroups → [0]", "Dispatch.DispatchGroup → notification",
          "closure #1 in Outbox.send(after:_:) → self",
        ], certainty: "probable"),
      .held(
        "scheduledTimer", "Ticker",
        by: [
          "timer on the main run loop → ", "Foundation.Timer → _fire",
          "closure #1 in Ticker.makeTimer() → self",
        ]),
      .held(
        "runLoopBlock", "Ticker",
        by: ["block on the main run loop → ", "closure #1 in Ticker.tickOnce() → self"]),
    ]
    #if compiler(>=6.3)  // Debian's Foundation is stripped: its closures have no names.
      held.append(
        .held(
          "readabilityHandler", "PipeReader",
          by: [
            "dispatch source (read), not cancelled → ",
            "closure #1 in Foundation.FileHandle.monitor(forReading:resumed:handler:) → captured function",
            "closure #1 in Foundation.FileHandle.readabilityHandler.setter → captured function",
            "closure #1 in PipeReader.listen() → self",
          ]))
    #endif
    return held
  }()

  static let heldByThreads: [ExpectedFinding] = [
    .held(
      "runningThread", "Miner",
      by: ["running thread → ", "Foundation.Thread → _main", "closure #1 in Miner.start() → self"]),
    .held(
      "timerOfThread", "Miner",
      by: ["timer on a run loop → ", "Foundation.Timer → _fire", "closure #1 in Miner.addTimer() → self"],
      in: "addTimerToThread()"),
    .held(
      "runningProcess", "Compiler",
      by: [
        "source on a run loop → ", "Foundation.Process → terminationHandler",
        "closure #1 in Compiler.start() → self",
      ]),
  ]
}
