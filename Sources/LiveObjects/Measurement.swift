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
  private let reservedMemory = Recorder.ReservedMemory()
  /// The baseline of every pass.
  private var marks: [UInt64] = []
  private var settling: Settling

  private init(_ options: LiveObjects.MeasurementOptions, before: TrackingStatus) {
    self.options = options
    self.before = before
    stopsBefore = Recorder.stops
    settling = Settling(limit: options.settle)
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
    while true {
      switch try attempt() {
      case .settled(let diff): return diff
      case .retry(let pause): pausing(pause)
      }
    }
  }

  /// Waits, suspended, until the remaining objects have settled. The work is done on another thread: the program's own
  /// tasks need those that Swift has for tasks.
  ///
  /// - Parameter explaining: whether to compute the findings as well, which are used next.
  func finish(
    isolation: isolated (any Actor)?, explaining: Bool = false
  ) async throws(LiveObjects.TrackingError) -> LiveObjects.Diff {
    Recorder.forgetStack()
    while true {
      switch try await attempt(explaining: explaining, isolation: isolation).get() {
      case .settled(let diff): return diff
      case .retry(let pause): await sleep(pause, isolation: isolation)
      }
    }
  }

  private enum Attempt: Sendable {
    case settled(LiveObjects.Diff)
    case retry(after: Duration)
  }

  private func attempt(
    explaining: Bool, isolation: isolated (any Actor)?
  ) async -> Result<Attempt, LiveObjects.TrackingError> {
    // It is not used here until the work is done.
    nonisolated(unsafe) let measurement = self
    return await Scopes.$current.withValue(Scopes.shared.pauses) {
      await OwnThread.run(isolation: isolation) {
        Result { () throws(LiveObjects.TrackingError) in
          let attempt = try measurement.attempt()
          if explaining, case .settled(let diff) = attempt { _ = diff.findings }
          return attempt
        }
      }
    }
  }

  private func sleep(_ pause: Duration, isolation: isolated (any Actor)?) async {
    await Scopes.$current.withValue(Scopes.shared.pauses) { await pause.sleep(isolation: isolation) }
  }

  private func attempt() throws(LiveObjects.TrackingError) -> Attempt {
    Recorder.forgetStack()
    return try Recorder.ignoring { () throws(LiveObjects.TrackingError) in
      let survivors = try survivors()
      let identities = survivors.identities
      if let pause = settling.pause(after: identities) { return .retry(after: pause) }
      // References cost more than a list of objects, and are not needed where no object is left.
      return .settled(LiveObjects.Diff(identities.isEmpty ? survivors : try self.survivors(references: true)))
    }
  }

  private func survivors(references: Bool = false) throws(LiveObjects.TrackingError) -> Survivors {
    guard Recorder.isTracking, Recorder.stops == stopsBefore else { throw .stoppedMeanwhile }
    var capture = try Recorder.capture(since: marks[0], references: references).decoded()
    capture.tracking.subtract(before)
    return Survivors(
      in: capture, passes: marks, attribution: Scopes.shared.attribution(of: scope), types: options.types)
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
