internal import Foundation
internal import LiveObjects

/// Pauses and work on the main thread, with its run loop running.
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

  /// Runs work on the main thread, if that serves the main queue in time: it may wait for the caller itself.
  ///
  /// - Returns: whether the work has run; if not, it never will.
  package static func perform(_ work: @escaping @Sendable () -> Void) async -> Bool {
    await withUnsafeContinuation { continuation in
      Recorder.ignoring {
        let race = Race()
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + timeout)
        timer.setEventHandler { if race.isWon() { continuation.resume(returning: false) } }
        timer.resume()
        DispatchQueue.main.async {
          guard race.isWon() else { return }
          timer.cancel()
          work()
          continuation.resume(returning: true)
        }
      }
    }
  }

  private static let timeout = DispatchTimeInterval.milliseconds(500)

  /// A race between several threads, which the first caller wins.
  private struct Race: Sendable {
    private let isTaken = Locked(false)

    func isWon() -> Bool {
      isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
    }
  }
}
