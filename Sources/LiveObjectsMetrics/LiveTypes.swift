internal import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

/// The live objects of the process at one moment.
struct LiveTypes: Sendable {
  struct Count: Sendable, Equatable {
    var instances = 0
    var bytes = 0
  }

  let status: TrackingStatus
  /// By type; empty where nothing is tracked.
  let counts: [String: Count]
}

extension LiveTypes {
  init() {
    status = LiveObjects.status
    counts = (try? Self.count()) ?? [:]
  }

  private static func count() throws -> [String: Count] {
    let capture = try Recorder.capture(since: 0).decoded()
    let types = Analysis(of: capture, symbolicator: ImageNames()).types
    return Dictionary(types.map { ($0.type, Count(instances: $0.live, bytes: Int(clamping: $0.bytes))) }) {
      Count(instances: $0.instances + $1.instances, bytes: $0.bytes + $1.bytes)
    }
  }
}
