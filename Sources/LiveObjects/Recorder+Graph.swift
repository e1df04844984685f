package import LiveObjectsCapture

extension Recorder {
  /// For how long looks are repeated while other threads run, at least; and how many looks there are then.
  private static let patience = Duration.milliseconds(100)
  private static let leastLooks = 3

  /// The live objects from a sequence number on, and what refers to what.
  ///
  /// A thread that runs may hold an object in a register. Most are workers that go to sleep at once, and then the next
  /// look sees all; each look gives them the time to run that they need for it. If some thread runs on, the graph says
  /// that it was waited for.
  package static func settledGraph(since mark: UInt64) throws(LiveObjects.TrackingError) -> Capture {
    let end = ContinuousClock.now + patience
    var looks = 0
    while true {
      var capture = try capture(since: mark, references: true).decoded()
      looks += 1
      if capture.seesAllRegisters { return capture }
      if looks >= leastLooks, ContinuousClock.now >= end {
        capture.graph?.status.waitedForOthers = true
        return capture
      }
    }
  }
}

extension Capture {
  /// No other thread can have held an object where it is not seen.
  package var seesAllRegisters: Bool {
    graph.map { $0.status.threads <= 1 || $0.status.othersAreIdle } ?? true
  }

  /// Why it is not known what refers to what; `nil` if it is.
  package var blindness: String? {
    guard let graph, !graph.status.wasRead else { return nil }
    return graph.status.notes.isEmpty
      ? "references were not read" : graph.status.notes.joined(separator: "; ")
  }
}
