package import CCompanion
internal import LiveObjectsReport
internal import LiveObjectsSystem

/// The interface of the preload library to a companion.
///
/// Sendable because the target of the pointer is constant and never freed.
package struct CompanionHost: @unchecked Sendable {
  private let host: UnsafePointer<liveobj_companion_host>

  package let rule: FailureRule

  /// - Returns: `nil` if the host was built from other sources than this companion.
  package init?(_ host: UnsafePointer<liveobj_companion_host>) {
    guard host.pointee.version == UInt32(LIVEOBJ_COMPANION_VERSION) else { return nil }
    self.host = host
    let accepted = AcceptedFindings(
      baseline: Self.bytes(of: host.pointee.baseline).flatMap { try? Baseline(parsing: $0) } ?? Baseline(),
      suppressions: Self.bytes(of: host.pointee.suppressions).flatMap { try? Suppressions(parsing: $0) }
        ?? Suppressions())
    rule = FailureRule(
      host.pointee.fail_on.flatMap { FailOn(rawValue: String(cString: $0)) } ?? .leaks, accepting: accepted)
  }

  /// The report at the end says what is wrong with a file that cannot be read.
  private static func bytes(of path: UnsafePointer<CChar>?) -> [UInt8]? {
    guard let path, path.pointee != 0 else { return nil }
    return contents(ofRegularFile: String(cString: path), atMost: AcceptedFindings.mostBytes)
  }

  /// Reports that Swift Testing has bound a task-local value on this task.
  package func valueWasBound() { host.pointee.value_bound() }

  /// Reports that Swift Testing is about to unbind one.
  package func valueWillBeUnbound() { host.pointee.value_unbinding() }

  /// Reports that an issue that fails the test was recorded on this task.
  package func testHasFailed() { host.pointee.test_failed() }
}
