extension LiveObjects.Diff: CustomStringConvertible {
  /// A report for people: what was left behind, where it was made, and what the diff cannot tell.
  public var description: String { explanation.text(notes: unattributedNote.map { [$0] } ?? []) }

  private var unattributedNote: String? {
    guard unattributed > 0 else { return nil }
    return "\(unattributed) more \(unattributed == 1 ? "object was" : "objects were") made at the same time and "
      + "nobody can tell by whom: on a dispatch queue, a thread or in a detached task, beside other tests."
  }
}
