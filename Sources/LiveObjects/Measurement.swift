internal import LiveObjectsCapture

/// One diff from its first mark to its result.
///
/// Its own work runs inside `Recorder.ignoring`, never across a suspension, so that none of its objects
/// count. Objects of a suspension are distinguished by their scope (`Scopes.pauses`).
final class Measurement {
  private let options: LiveObjects.MeasurementOptions
  private let work = WorkScope()
  private let before: TrackingStatus
  private let stopsBefore: Int
  private let keptMemory = Recorder.KeptMemory()
  /// The baseline of every pass.
  private var marks: [UInt64] = []

  private init(_ options: LiveObjects.MeasurementOptions, before: TrackingStatus) {
    self.options = options
    self.before = before
    stopsBefore = Recorder.stops
    marks.reserveCapacity(passes)
  }

  /// The scope of the body's objects.
  var scope: UInt32 { work.id }

  static func begin(
    _ options: LiveObjects.MeasurementOptions
  ) throws(LiveObjects.TrackingError) -> Measurement {
    if !Recorder.isTracking { try Recorder.start(LiveObjects.TrackingOptions()) }
    return Recorder.ignoring { Measurement(options, before: Recorder.status) }
  }

  private var passes: Int { max(1, options.iterations) }

  private func beginPass() {
    Recorder.ignoring { marks.append(Recorder.mark()) }
  }
}

// MARK: - Running the body

extension Measurement {
  /// Runs the body inside the scope: the warm-up, then every pass.
  func run<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    for _ in 0..<max(0, options.warmUp) { _ = try Scopes.within(scope, body) }
    for _ in 1..<passes {
      beginPass()
      _ = try Scopes.within(scope, body)
    }
    beginPass()
    return try Scopes.within(scope, body)
  }

  func run<Value, Failure: Error>(
    isolation: isolated (any Actor)?, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    for _ in 0..<max(0, options.warmUp) {
      _ = try await Scopes.within(scope, isolation: isolation, body)
    }
    for _ in 1..<passes {
      beginPass()
      _ = try await Scopes.within(scope, isolation: isolation, body)
    }
    beginPass()
    return try await Scopes.within(scope, isolation: isolation, body)
  }
}

// MARK: - Taking the result

extension Measurement {
  /// Waits, by default blocking the thread, until the remaining objects have settled.
  func finish(
    pausing: (Duration) -> Void = { $0.block() }
  ) throws(LiveObjects.TrackingError) -> LiveObjects.Diff {
    var settling = Settling(limit: options.settle)
    while true {
      switch try attempt(&settling) {
      case .settled(let diff): return diff
      case .retry(let pause): pausing(pause)
      }
    }
  }

  /// Waits, suspended, until the remaining objects have settled.
  ///
  /// - Parameter elsewhere: the thread to explain them on; the current one if it is `nil` or never runs the
  ///   work.
  func finish(
    isolation: isolated (any Actor)?, elsewhere: LiveObjects.Performer? = nil
  ) async throws(LiveObjects.TrackingError) -> LiveObjects.Diff {
    var settling = Settling(limit: options.settle)
    while true {
      switch try attempt(&settling, explaining: elsewhere == nil) {
      case .settled(let diff):
        guard let elsewhere, diff.instances > 0 else { return diff }
        if let diff = await explained(elsewhere, isolation: isolation) { return try diff.get() }
        return try explained()
      case .retry(let pause): await sleep(pause, isolation: isolation)
      }
    }
  }

  private enum Attempt {
    case settled(LiveObjects.Diff)
    case retry(after: Duration)
  }

  private func attempt(
    _ settling: inout Settling, explaining: Bool = true
  ) throws(LiveObjects.TrackingError) -> Attempt {
    Recorder.forgetStack()
    return try Recorder.ignoring { () throws(LiveObjects.TrackingError) in
      let survivors = try survivors()
      let identities = survivors.identities
      if let pause = settling.pause(after: identities) { return .retry(after: pause) }
      // References cost more than a list of objects, and are not needed where no object is left.
      let explains = explaining && !identities.isEmpty
      return .settled(LiveObjects.Diff(explains ? try self.survivors(references: true) : survivors))
    }
  }

  private func explained() throws(LiveObjects.TrackingError) -> LiveObjects.Diff {
    Recorder.forgetStack()
    return try Recorder.ignoring { () throws(LiveObjects.TrackingError) in
      LiveObjects.Diff(try survivors(references: true))
    }
  }

  /// - Returns: `nil` if it was not done there.
  private func explained(
    _ elsewhere: LiveObjects.Performer, isolation: isolated (any Actor)?
  ) async -> Result<LiveObjects.Diff, LiveObjects.TrackingError>? {
    let diff = Recorder.ignoring { Locked<Result<LiveObjects.Diff, LiveObjects.TrackingError>?>(nil) }
    // It is not used here until the work is done.
    nonisolated(unsafe) let measurement = self
    _ = await Scopes.$current.withValue(Scopes.shared.pauses) {
      await elsewhere {
        let explained = Result { () throws(LiveObjects.TrackingError) in try measurement.explained() }
        diff.withLock { $0 = explained }
      }
    }
    return diff.withLock { $0 }
  }

  private func survivors(references: Bool = false) throws(LiveObjects.TrackingError) -> Survivors {
    guard Recorder.isTracking, Recorder.stops == stopsBefore else { throw .stoppedMeanwhile }
    var capture = try Recorder.capture(since: marks[0], references: references).decoded()
    capture.tracking.subtract(before)
    return Survivors(
      in: capture, passes: marks, attribution: Scopes.shared.attribution(of: scope), types: options.types)
  }

  private func sleep(_ pause: Duration, isolation: isolated (any Actor)?) async {
    await Scopes.$current.withValue(Scopes.shared.pauses) { await pause.sleep(isolation: isolation) }
  }
}

extension TrackingStatus {
  /// Keeps the losses since an earlier moment.
  mutating func subtract(_ earlier: TrackingStatus) {
    droppedRecords -= min(earlier.droppedRecords, droppedRecords)
    droppedStackTraces -= min(earlier.droppedStackTraces, droppedStackTraces)
    missedDeallocations -= min(earlier.missedDeallocations, missedDeallocations)
  }
}
