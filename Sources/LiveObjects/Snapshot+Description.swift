extension LiveObjects.Snapshot: CustomStringConvertible {
  /// How many objects were alive; what they are, ``growth(since:)`` tells.
  public var description: String {
    guard let capture = try? raw.decoded() else { return "a snapshot that cannot be read" }
    return Recorder.ignoring {
      let instances = capture.objects.count { !$0.isPinned }
      return "a snapshot of \(instances) live \(instances == 1 ? "instance" : "instances")"
    }
  }
}
