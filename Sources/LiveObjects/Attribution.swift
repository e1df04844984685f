internal import LiveObjectsCapture

/// The objects that a diff counts as its own.
struct Attribution {
  /// The scopes that count; `nil` for all objects of the process.
  var scopes: Set<UInt32>?
  /// The scope of the measurement's own pauses, which never counts.
  var pauses: UInt32

  func owns(_ object: LiveObject) -> Bool {
    guard object.scope != pauses else { return false }
    return scopes?.contains(object.scope) ?? true
  }

  /// Whether the object has no scope, while only some scopes count.
  func isUndecided(_ object: LiveObject) -> Bool {
    scopes != nil && object.scope == 0
  }
}
