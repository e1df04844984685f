import LiveObjectsCapture

/// Notes about references that could not be read.
enum ReferenceNotes {
  /// - Parameter status: `nil` where references were not requested.
  static func notes(for status: HeapGraph.Status?) -> [String] {
    guard let status else { return [] }
    let own = status.wasRead ? degradations(of: status) : [unread]
    return own.compactMap { $0 } + status.notes
  }

  private static let unread =
    "The references between objects could not be read: leaks cannot be distinguished from growth."

  private static func degradations(of status: HeapGraph.Status) -> [String?] {
    [
      unread(status.unreadObjects), scanned(status.scannedObjects),
      status.missesStacks ? missedStacks : nil, status.missesRoots ? missedRoots : nil,
    ]
  }

  private static func unread(_ count: UInt32) -> String? {
    guard count > 0 else { return nil }
    return
      "\(Count.of(count, "object", "objects")) could not be read: objects that they hold are reported without a holder."
  }

  private static func scanned(_ count: UInt32) -> String? {
    guard count > 0 else { return nil }
    return
      "\(Count.of(count, "object was", "objects were")) scanned conservatively (whatever may be a pointer counts "
      + "as a reference), without a layout from metadata: findings that depend on it are called probable."
  }

  private static let missedStacks =
    "Not every thread's stack was read: objects that only a stack holds are reported as growth."
  private static let missedRoots =
    "Not all memory outside of the heap was read: objects that only such memory holds are reported as growth."
}
