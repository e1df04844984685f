package import CCompanion
package import LiveObjectsReport

/// The preload library, as a companion sees it.
///
/// Sendable because what the pointer leads to never changes and lives for ever.
package struct CompanionHost: @unchecked Sendable {
  private let host: UnsafePointer<liveobj_companion_host>

  /// Which findings fail a test.
  package let failOn: FailOn

  /// - Returns: `nil` if the host was built from other sources than this companion.
  package init?(_ host: UnsafePointer<liveobj_companion_host>) {
    guard host.pointee.version == UInt32(LIVEOBJ_COMPANION_VERSION) else { return nil }
    self.host = host
    failOn = host.pointee.fail_on.flatMap { FailOn(rawValue: String(cString: $0)) } ?? .leaks
  }

  /// Writes one line for people on standard error.
  package func say(_ line: String) {
    host.pointee.say(line)
  }

  /// Swift Testing has bound a task-local value on this task.
  package func valueWasBound() { host.pointee.value_bound() }

  /// Swift Testing is about to unbind one.
  package func valueWillBeUnbound() { host.pointee.value_unbinding() }
}
