internal import CLiveObjectsService
internal import LiveObjectsSystem

extension LiveObjects {
  /// Answers `liveobjects snapshot`, `memory` and `top` from now on, until the process ends.
  ///
  /// For services that link this library; under the preload library the option `snapshots=on` does the same. A thread
  /// of the recorder's own listens on the Unix socket `/tmp/liveobjects-USER/PROCESS.socket`, which only the owner of the
  /// process and root can use. Starting twice is fine.
  ///
  /// - Throws: ``TrackingError/notTracking`` unless tracking is on; ``TrackingError/cannotAnswer(reason:)`` where the
  ///   thread or the socket cannot be had, for example before Linux 5.9.
  public static func answerRequests() throws(TrackingError) {
    try requireTracking()
    var settings = liveobj_service_settings()
    settings.answers = true
    settings.references = true
    let start = liveobj_service_start(&settings)
    guard start.failure == nil else { throw .cannotAnswer(reason: String(cString: start.failure)) }
    atexit { _ = liveobj_service_stop() }
  }
}
