internal import LiveObjects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The warnings of assertions that pass without tracking.
package enum NotWatched {
  package static let onThisSystem =
    "not watched: on this system objects cannot be tracked, and assertions pass."

  private static let printed = Locked<Set<String>>([])

  /// Writes a line on standard error, each only once.
  package static func warn(_ why: String) {
    guard printed.withLock({ $0.insert(why).inserted }) else { return }
    let line = "LiveObjects: \(why)\n"
    _ = Array(line.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
