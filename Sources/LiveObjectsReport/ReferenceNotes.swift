import LiveObjectsCapture

/// Says in sentences what could not be learnt about references.
enum ReferenceNotes {
  /// - Parameter status: `nil` where references were not asked for.
  static func notes(for status: HeapGraph.Status?) -> [String] {
    guard let status else { return [] }
    let own = status.wasRead ? degradations(of: status) : [unread]
    return own.compactMap { $0 } + status.notes
  }

  static let unread =
    "The references among objects could not be read: what leaked is not told from what has grown."

  private static func degradations(of status: HeapGraph.Status) -> [String?] {
    [
      unread(status.unreadObjects), scanned(status.scannedObjects),
      status.missesStacks ? missedStacks : nil, status.missesRoots ? missedRoots : nil,
    ]
  }

  private static func unread(_ count: UInt32) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "object", "objects")) could not be read: what they hold has no known holder."
  }

  private static func scanned(_ count: UInt32) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "object was", "objects were")) scanned for words that look like references, "
      + "since their metadata does not tell: findings that need those are called probable."
  }

  private static let missedStacks =
    "Not every thread's stack was read: what only they hold shows as growth."
  private static let missedRoots =
    "Not all memory outside of the heap was read: what only that holds shows as growth."
}
