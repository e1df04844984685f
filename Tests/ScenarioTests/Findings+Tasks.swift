/// Suspended tasks: `Tasks.swift` of the fixture, and two of `Concurrency.swift`.
extension ExpectedFinding {
  static let suspended: [ExpectedFinding] = [
    .suspended("lostContinuation", "Waiter", ["Waiter → task"]),
    .suspended("waitingForStream", "Subscriber", ["Subscriber → task"]),
    .suspended("ownStream", "Chat", ["Chat → continuation"]),
    .suspended("throwingStream", "ThrowingChat", ["ThrowingChat → task"]),
    .suspended("checkedContinuation", "Fetch", ["Fetch → task"]),
    .suspended("ownContinuation", "Upload", ["Upload → task"]),
    .suspended("waitingTaskGroup", "Batch", ["Batch → task"]),
    .suspended("asyncLet", "Fork", ["Fork → task"]),
    .suspended("awaitedTask", "Follower", ["Follower → task"]),
    .suspended("actorMethod", "Gate.pass()"),
    .suspended("taskLocalValue", "waitForAnswer(_:)"),
    .suspended("idleExecutor", "Agenda", ["Agenda → task"]),
  ]

  static let observing: [ExpectedFinding] = {
    #if compiler(>=6.3)
      return [.suspended("observingTask", "CartBadge", ["CartBadge → cart"])]
    #else  // Debian's library is stripped.
      return []
    #endif
  }()

  /// Something can resume or cancel the task: it is not called a leak.
  static let heldByTasks: [ExpectedFinding] = [
    .held("globalContinuation", "Upload", by: ["global globalResume → "] + behindSuspend),
    .held(
      "registeredContinuation", "Upload",
      by: ["static Waiters.shared → ", "Waiters → resumes"] + behindSuspend, certainty: "probable"),
    .held(
      "heldStream", "Upload",
      by: [
        "static Publisher.shared → ",
        "Publisher → subscribers[0]",
        "Swift.AsyncStream<Event>._Storage → state",
        "suspended task in closure #1 in plantHeldStream() → closure",
        "closure #1 in Job.run(_:) → self",
      ], certainty: "probable"),
    .held("cancellableTask", "Upload", by: ["global cancellable → "] + behindSuspend),
    .held("continuationInBuffer", "Upload", by: ["Upload → task"] + behindSuspend),
    .held(
      "sleepingTask", "Upload",
      by: [
        "Upload → task",
        "suspended task in closure #1 in plantSleepingTask() → closure",
        "closure #1 in Job.run(_:) → self",
      ]),
  ]

  private static let behindSuspend = [
    "suspended task in Job.suspend(_:) → closure", "closure #1 in Job.run(_:) → self",
  ]
}
