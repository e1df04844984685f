internal import LiveObjectsSystem

/// The intervals between checks of objects that may still be released.
///
/// Most late releases come within milliseconds (a task that ends, a block on a queue), so the
/// first checks are close together; objects that have not changed for long have settled.
package struct Settling {
  private static let firstPause = Duration.milliseconds(1)
  private static let longestPause = Duration.milliseconds(50)

  private let limit: Duration
  private let quiet: Duration
  private let isBusy: @Sendable () -> Bool
  private var pause = firstPause
  private var elapsed = Duration.zero
  private var unchanged = Duration.zero
  /// The length of `unchanged` from which on no other thread counts as late.
  private var calm = Duration.zero
  private var last: [ObjectIdentity]?

  /// - Parameters:
  ///   - limit: the longest time of all pauses together.
  ///   - quiet: the time for which the same objects must have been alive to count as settled.
  ///   - isBusy: whether another thread runs. It may be late with a release, on a busy machine, so the
  ///     objects must have been alive for four times as long then.
  package init(
    limit: Duration = LiveObjects.MeasurementOptions().settle, quiet: Duration = .milliseconds(100),
    isBusy: @escaping @Sendable () -> Bool = { OtherThreads.areRunning }
  ) {
    self.limit = limit
    self.quiet = quiet
    self.isBusy = isBusy
  }

  /// - Parameter survivors: the objects that are still alive.
  /// - Returns: the time to wait before the next check; `nil` when the objects have settled.
  package mutating func pause(after survivors: [ObjectIdentity]) -> Duration? {
    if survivors != last { (unchanged, calm) = (.zero, .zero) }
    last = survivors
    guard !survivors.isEmpty, elapsed < limit, !isSettled() else { return nil }
    let now = min(pause, limit - elapsed)
    pause = min(pause * 1.5, Self.longestPause)
    elapsed += now
    unchanged += now
    return now
  }

  /// Whether the objects have been alive for long enough. What another thread has just done may still wait for
  /// the caller: its run loop has to run once more.
  private mutating func isSettled() -> Bool {
    if isBusy() { calm = unchanged + Self.longestPause }
    return unchanged >= quiet && (unchanged >= quiet * 4 || unchanged >= calm)
  }
}

extension Duration {
  /// Blocks the calling thread. A signal may end it early: the caller checks again.
  package func block() {
    var time = timespec()
    time.tv_sec = Int(components.seconds)
    time.tv_nsec = Int(components.attoseconds / 1_000_000_000)
    nanosleep(&time, nil)
  }

  /// Suspends the calling task.
  package func sleep(isolation: isolated (any Actor)?) async {
    // A cancelled task cannot sleep; its thread can.
    do { try await Task.sleep(for: self) } catch { block() }
  }
}
