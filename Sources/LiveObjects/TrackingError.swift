extension LiveObjects {
  /// The reason why a process's objects are unknown.
  public enum TrackingError: Error, Hashable {
    /// Tracking exists for Linux only.
    case notAvailable
    /// The Swift runtime of this process cannot be watched; the recorder gives the reason.
    case cannotWatch(reason: String)
    /// Tracking is off.
    case notTracking
    /// Tracking was stopped during a measurement.
    case stoppedMeanwhile
    /// The recorder could not write a capture, or the capture could not be read.
    case captureFailed(reason: String)
    /// Growth was requested since a snapshot that is the newer one.
    case snapshotsInWrongOrder
    /// The thread that answers requests could not be started.
    case cannotAnswer(reason: String)
  }
}

extension LiveObjects.TrackingError: CustomStringConvertible {
  /// The problem, and what to do about it.
  public var description: String {
    switch self {
    case .notAvailable:
      "Objects can be tracked on Linux only. Leave this measurement out on other systems."
    case .cannotWatch(let reason):
      "The objects of this process cannot be tracked: \(reason)"
    case .notTracking:
      "Tracking is off. Call LiveObjects.start() before the objects of interest are allocated."
    case .stoppedMeanwhile:
      "LiveObjects.stop() was called during the measurement. Stop tracking after it has ended."
    case .captureFailed(let reason):
      "The live objects could not be captured: \(reason)"
    case .snapshotsInWrongOrder:
      "Growth was requested since a later snapshot. Call growth(since:) on the newer snapshot with the older one."
    case .cannotAnswer(let reason):
      "Snapshots of this process cannot be requested: \(reason)"
    }
  }
}
