internal import Foundation
internal import LiveObjects

/// What a thread does while it waits for releases.
package enum MainLoop {
  private static let slice = Duration.milliseconds(2)

  /// Lets time pass: on the main thread with the main run loop running, and with it the main queue and the
  /// main actor, which have no other thread to release anything on.
  package static func pause(_ time: Duration) {
    guard Thread.isMainThread else { return time.block() }
    let end = ContinuousClock.now + time
    repeat {
      // One look, without waiting: a loop that waits for its own timer may not wake up on Linux.
      _ = RunLoop.main.run(mode: .default, before: Date())
      min(slice, end - .now).block()
    } while .now < end
  }
}
