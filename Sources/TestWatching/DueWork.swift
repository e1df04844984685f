internal import CCompanion
internal import LiveObjects

/// Work that timers start soon after the last test.
package enum DueWork {
  /// Waits until work that is due within 0.1 s has begun: else it depends on the moment at which the process ends
  /// whether the work holds its objects.
  ///
  /// Does nothing where no report follows, as in a process that restricts its system calls.
  package static func wait() {
    guard LiveObjects.status.state == .tracking else { return }
    Recorder.ignoring { liveobj_wait_for_due_work() }
  }
}
