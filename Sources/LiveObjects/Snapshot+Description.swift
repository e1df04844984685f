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
