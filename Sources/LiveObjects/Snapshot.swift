internal import LiveObjectsCapture

extension LiveObjects {
  /// All objects that were alive at one moment.
  ///
  /// Two snapshots of a growing service show the types that grow:
  /// ```swift
  /// let before = try LiveObjects.snapshot(references: false)
  /// …
  /// print(try LiveObjects.snapshot().growth(since: before))
  /// ```
  public struct Snapshot: Sendable {
    let raw: RawCapture
    /// Objects allocated later have this sequence number or a greater one.
    private let mark: UInt64
    /// What had been lost before.
    private let status: TrackingStatus

    init(_ raw: RawCapture, mark: UInt64, status: TrackingStatus) {
      self.raw = raw
      self.mark = mark
      self.status = status
    }

    /// The objects of this snapshot that were allocated after an older one was taken.
    ///
    /// - Parameter older: a snapshot of the same process.
    /// - Throws: ``TrackingError/snapshotsInWrongOrder`` if `older` is the newer one.
    public func growth(since older: Snapshot) throws(TrackingError) -> Diff {
      guard older.mark <= mark else { throw .snapshotsInWrongOrder }
      return try Recorder.ignoring { () throws(TrackingError) in
        let everything = Attribution(scopes: nil, pauses: Scopes.shared.pauses)
        var capture = try raw.decoded()
        capture.tracking.subtract(older.status)
        return Diff(Survivors(in: capture, passes: [older.mark], attribution: everything, types: []))
      }
    }
  }
}

extension LiveObjects.Snapshot: CustomStringConvertible {
  /// The number of live objects; ``growth(since:)`` shows their types.
  public var description: String {
    guard let capture = try? raw.decoded() else { return "a snapshot that cannot be read" }
    return Recorder.ignoring {
      let instances = capture.objects.count { !$0.isPinned }
      return "a snapshot of \(instances) live \(instances == 1 ? "instance" : "instances")"
    }
  }
}
