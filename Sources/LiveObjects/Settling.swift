#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// When to look again at objects that may still be released.
///
/// Releases that come late mostly come within milliseconds (a task that ends, a block on a queue), so the
/// first looks are close together; what has not changed for long is there to stay.
package struct Settling {
  private static let firstPause = Duration.milliseconds(1)
  private static let longestPause = Duration.milliseconds(50)
  private static let quiet = Duration.milliseconds(100)

  private let limit: Duration
  private var pause = firstPause
  private var elapsed = Duration.zero
  private var unchanged = Duration.zero
  private var last: [ObjectIdentity]?

  package init(limit: Duration = LiveObjects.Options().settle) {
    self.limit = limit
  }

  /// - Parameter survivors: the objects that are still alive.
  /// - Returns: how long to wait before the next look; `nil` when the objects have settled.
  package mutating func pause(after survivors: [ObjectIdentity]) -> Duration? {
    if survivors != last { unchanged = .zero }
    last = survivors
    guard !survivors.isEmpty, elapsed < limit, unchanged < Self.quiet else { return nil }
    let now = min(pause, limit - elapsed)
    pause = min(pause * 1.5, Self.longestPause)
    elapsed += now
    unchanged += now
    return now
  }
}

extension Duration {
  /// Blocks the calling thread. A signal may end it early: whoever waits looks again.
  package func block() {
    var time = timespec()
    time.tv_sec = Int(components.seconds)
    time.tv_nsec = Int(components.attoseconds / 1_000_000_000)
    nanosleep(&time, nil)
  }
}
