internal import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

/// The live objects of the process at one moment.
struct LiveTypes: Sendable {
  let status: TrackingStatus
  /// Most bytes first; empty where nothing is tracked.
  let counts: [TypeCount]
}

extension LiveTypes {
  init() {
    status = LiveObjects.status
    counts = (try? LiveObjects.counts()) ?? []
  }
}
