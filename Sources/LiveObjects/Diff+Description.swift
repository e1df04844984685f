extension LiveObjects.Diff: CustomStringConvertible {
  /// A human-readable report: the objects left behind, their call sites, and the limits of the diff.
  public var description: String {
    explanation.text(notes: [unattributedNote, filterNote].compactMap { $0 })
  }

  private var unattributedNote: String? {
    guard unattributed > 0 else { return nil }
    let objects = unattributed == 1 ? "object was" : "objects were"
    return "\(unattributed) more \(objects) allocated at the same time and cannot be attributed: "
      + "on a dispatch queue or a thread, while other tests ran."
  }

  /// A filter with a typing error would otherwise pass as code that leaves nothing behind.
  private var filterNote: String? {
    guard filteredOut > 0 else { return nil }
    let instances = filteredOut == 1 ? "instance was" : "instances were"
    return "\(filteredOut) more \(instances) left behind and not counted, since `types` does not name them."
  }
}
