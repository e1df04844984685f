package import LiveObjectsCapture

extension Recorder {
  /// The least time and number of captures while other threads run.
  private static let minimumTime = Duration.milliseconds(100)
  private static let minimumCaptures = 3

  /// A capture of the live objects from a sequence number on, with their references, once the other threads
  /// are idle.
  ///
  /// A running thread may hold an object in a register. Most are workers that soon go to sleep, and then the
  /// next capture is complete; each capture gives them time to run. If a thread keeps running, the graph says
  /// that the capture has waited for it.
  package static func settledGraph(since mark: UInt64) throws(LiveObjects.TrackingError) -> Capture {
    let end = ContinuousClock.now + minimumTime
    var captures = 0
    while true {
      var capture = try capture(since: mark, references: true).decoded()
      captures += 1
      if capture.seesAllRegisters { return capture }
      if captures >= minimumCaptures, ContinuousClock.now >= end {
        capture.graph?.status.waitedForOthers = true
        return capture
      }
    }
  }
}

extension Capture {
  /// Whether no other thread can have held an object in a register.
  package var seesAllRegisters: Bool {
    graph.map(\.status.hasAllRegisters) ?? true
  }

  /// The reason why references are unknown; `nil` if they are known.
  package var evaluationFailure: String? { graph?.status.evaluationFailure }
}
