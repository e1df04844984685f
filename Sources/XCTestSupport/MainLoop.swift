internal import Foundation
internal import LiveObjects

/// Pauses on the main thread, with its run loop running.
package enum MainLoop {
  private static let slice = Duration.milliseconds(2)

  /// Waits for a time: on the main thread with the main run loop running, and with it the main queue and the
  /// main actor, which have no other thread to release anything on.
  package static func pause(_ time: Duration) {
    guard Thread.isMainThread else { return time.block() }
    let end = ContinuousClock.now + time
    repeat {
      min(slice, end - .now).block()
      // One pass, without waiting: a loop that waits for its own timer may not wake up on Linux. Last, because on a
      // busy machine all of the time may have passed meanwhile.
      _ = RunLoop.main.run(mode: .default, before: Date())
    } while .now < end
  }
}
