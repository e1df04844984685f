package import LiveObjectsCapture

extension Recorder {
  /// How long a worker that runs may take to sleep again.
  private static let patience = Duration.milliseconds(100)

  /// The live objects from a sequence number on, and what refers to what.
  ///
  /// A worker that runs for a moment meanwhile may hold an object in a register, and the next look is at an idle one:
  /// so there are more than one if need be.
  package static func settledGraph(since mark: UInt64) throws(LiveObjects.TrackingError) -> Capture {
    let end = ContinuousClock.now + patience
    while true {
      let capture = try capture(since: mark, references: true).decoded()
      if capture.seesAllRegisters || ContinuousClock.now >= end { return capture }
    }
  }
}

extension Capture {
  /// No other thread can have held an object where it is not seen.
  package var seesAllRegisters: Bool {
    graph.map { $0.status.threads <= 1 || $0.status.othersAreIdle } ?? true
  }
}
