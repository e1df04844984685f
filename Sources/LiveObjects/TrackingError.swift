extension LiveObjects {
  /// Why nothing can be said about a process's objects.
  public enum TrackingError: Error, Hashable {
    /// Tracking exists for Linux only.
    case notAvailable
    /// The Swift runtime of this process cannot be watched; the recorder says why.
    case cannotWatch(reason: String)
    /// Tracking is off.
    case notTracking
    /// Tracking was stopped during a measurement.
    case stoppedMeanwhile
    /// The recorder could not write what it knows, or what it wrote could not be read.
    case captureFailed(reason: String)
    /// Growth was asked for since a snapshot that is the newer one.
    case snapshotsInWrongOrder
  }
}

extension LiveObjects.TrackingError: CustomStringConvertible {
  /// What is wrong, and what to do about it.
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
      "Growth was asked for since a later snapshot. Ask the newer snapshot for its growth since the older."
    }
  }
}
