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

  /// Runs work on the main thread, if that serves the main queue in time: it may as well wait for the caller.
  ///
  /// - Returns: whether the work has run; if not, it never will.
  package static func perform(_ work: @escaping @Sendable () -> Void) async -> Bool {
    await withUnsafeContinuation { continuation in
      Recorder.ignoring {
        let first = First()
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + patience)
        timer.setEventHandler { if first.isMe() { continuation.resume(returning: false) } }
        timer.resume()
        DispatchQueue.main.async {
          guard first.isMe() else { return }
          timer.cancel()
          work()
          continuation.resume(returning: true)
        }
      }
    }
  }

  private static let patience = DispatchTimeInterval.milliseconds(500)

  /// Of several, one comes first.
  private struct First: Sendable {
    private let isTaken = Locked(false)

    func isMe() -> Bool {
      isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
    }
  }
}
