#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What assertions do on systems where nothing can be tracked.
package enum NotWatched {
  /// Says once that nothing is watched.
  package static func say() { _ = said }

  private static let said: Void = {
    let line = "LiveObjects: not watched: on this system objects cannot be tracked, and assertions pass.\n"
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  }()
}
