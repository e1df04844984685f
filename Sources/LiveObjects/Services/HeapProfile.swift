internal import LiveObjectsAnalysis
internal import LiveObjectsCapture
internal import LiveObjectsReport
internal import LiveObjectsSystem

/// The live objects by the calls that allocated them, in the format of `profile.proto`.
enum HeapProfile {
  /// Whether a profile is being made: it needs memory, and the symbolizer serves one at a time.
  private static let isBusy = Locked(false)

  /// - Parameter seconds: the time to wait, of which the profile then has the growth; 0 for all live objects.
  static func taken(after seconds: Int) async throws(HeapProfileRefusal) -> [UInt8] {
    guard Recorder.isTracking else { throw .unknown(.notTracking) }
    let baseline = seconds > 0 ? Recorder.mark() : 0
    try await sleep(seconds)
    try await begin(waiting: seconds > 0)
    defer { isBusy.withLock { $0 = false } }
    let profile = await OwnThread.run {
      Result { () throws(LiveObjects.TrackingError) in try bytes(since: baseline, seconds: seconds) }
    }
    do { return try profile.get() } catch { throw .unknown(error) }
  }

  /// - Parameter isWaiting: whether to wait for another profile, as a caller does who has waited anyway.
  private static func begin(waiting isWaiting: Bool) async throws(HeapProfileRefusal) {
    while isBusy.withLock({ isBusy in
      defer { isBusy = true }
      return isBusy
    }) {
      guard isWaiting else { throw .busy }
      try await sleep(1)
    }
  }

  private static func sleep(_ seconds: Int) async throws(HeapProfileRefusal) {
    guard seconds > 0 else { return }
    do { try await Task.sleep(for: .seconds(seconds)) } catch { throw .cancelled }
  }

  /// References are not read: a profile is about the calls that allocated objects.
  private static func bytes(since baseline: UInt64, seconds: Int) throws(LiveObjects.TrackingError) -> [UInt8]
  {
    let moment = ProfileMoment(nanoseconds: now, duration: seconds * 1_000_000_000)
    let capture = try Recorder.capture(since: baseline).decoded()
    let options = Analysis.Options(baseline: baseline, findsSystemTypes: true)
    let analysis = ProcessNames.name(UnnamedAnalysis(of: capture, options: options)).analysis
    let report = Report(of: [(capture, analysis)])
    return Gzip.file(of: PprofRenderer(of: report, at: moment).bytes)
  }

  /// Nanoseconds since 1970.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
