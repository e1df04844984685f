internal import LiveObjects

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What assertions say that hold without having seen anything.
package enum NotWatched {
  package static let onThisSystem =
    "not watched: on this system objects cannot be tracked, and assertions pass."

  private static let said = Locked<Set<String>>([])

  /// Writes a line on standard error, once.
  package static func say(_ why: String) {
    guard said.withLock({ $0.insert(why).inserted }) else { return }
    let line = "LiveObjects: \(why)\n"
    _ = Array(line.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}
