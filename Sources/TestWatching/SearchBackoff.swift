package import LiveObjects

/// The frequency of searches from global variables.
///
/// A search avoids a scan where it finds the holders of all objects. In a suite whose tests leave other
/// objects behind it only adds to the scan: after some inconclusive searches in a row, more and more of them
/// are skipped.
package struct SearchBackoff: Sendable {
  private static let missLimit = 4
  private static let doublingLimit = 6

  private var misses = 0
  /// The number of following searches to skip.
  private var skipped = 0

  package init() {}

  /// Whether to search now; called once for each search.
  package mutating func allowsSearch() -> Bool {
    guard skipped > 0 else { return true }
    skipped -= 1
    return false
  }

  package mutating func record(_ result: Recorder.GlobalSearch) {
    switch result {
    case .reachable: misses = 0
    case .inconclusive: misses += 1
    case .limitExceeded: misses += Self.missLimit  // the most expensive one
    }
    skipped = misses < Self.missLimit ? 0 : 1 << min(misses - Self.missLimit, Self.doublingLimit)
  }
}
