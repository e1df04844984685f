public import LiveObjectsCapture

/// Finds the objects that a piece of code left behind.
///
/// ```swift
/// let diff = try LiveObjects.diff { openAndCloseTheScreen() }
/// #expect(diff.isClean)
/// ```
///
/// Tracking watches the whole process, through the Swift runtime's own hooks, from ``start(_:)`` on. A diff
/// starts it by itself. What counts, and what does not: <doc:Measuring>.
public enum LiveObjects {
  /// Starts recording every heap object that the process allocates.
  ///
  /// Objects allocated before are never seen. Starting twice is fine: the options of the first start stay,
  /// those of the preload library included.
  ///
  /// - Parameter options: the data to record.
  /// - Throws: ``TrackingError`` where this process cannot be watched.
  public static func start(_ options: TrackingOptions = TrackingOptions()) throws(TrackingError) {
    try Recorder.start(options)
  }

  /// Records no new objects from now on, and counts them: a report says that they are missing, also after another
  /// ``start(_:)``.
  ///
  /// A measurement that is under way throws ``TrackingError/stoppedMeanwhile``: missing objects must not
  /// count as none.
  public static func stop() {
    Recorder.stop()
  }

  /// The state of tracking in this process.
  public static var status: TrackingStatus { Recorder.status }

  /// Captures all objects that are alive now and were allocated since tracking started.
  ///
  /// Nothing is interpreted until the growth of the snapshot is requested. References are read in a copy of
  /// the process, so that its other threads go on meanwhile.
  ///
  /// - Parameter references: whether to capture references as well, so that growth is explained. A snapshot
  ///   that only serves later ones as a baseline needs none, and is taken several times as fast.
  /// - Throws: ``TrackingError/notTracking`` unless tracking is on, so that an idle recorder never counts
  ///   as a process without objects.
  public static func snapshot(references: Bool = true) throws(TrackingError) -> Snapshot {
    try requireTracking()
    let mark = Recorder.mark()
    return Snapshot(try Recorder.capture(since: 0, references: references), mark: mark, status: status)
  }

  /// - Throws: ``TrackingError/notTracking``, or ``TrackingError/cannotWatch(reason:)`` with the recorder's reason.
  package static func requireTracking() throws(TrackingError) {
    let status = status
    guard status.state != .tracking else { return }
    throw status.state == .blind ? .cannotWatch(reason: status.notes.first ?? "") : .notTracking
  }
}
