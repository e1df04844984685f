extension LiveObjects.Diff: CustomStringConvertible {
  /// A report for people: what was left behind, where it was made, and what the diff cannot tell.
  public var description: String { explanation.text(notes: notes) }

  private var notes: [String] {
    guard unattributed > 0 else { return [] }
    let objects = unattributed == 1 ? "object was" : "objects were"
    return [
      "\(unattributed) more \(objects) made at the same time and nobody can tell by whom: "
        + "on a dispatch queue, a thread or in a detached task, beside other tests."
    ]
  }
}
