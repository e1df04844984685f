package import LiveObjects

/// How often a search from the program's variables is worth its time.
///
/// It spares a look where it shows what holds the objects. In a suite whose tests leave other things behind it only
/// adds to the look: so after some searches in a row that showed nothing, some are left out, and ever more.
package struct SearchPace: Sendable {
  private static let patience = 4
  private static let mostDoublings = 6

  private var misses = 0
  /// Of the next ones.
  private var leftOut = 0

  package init() {}

  /// Whether to search now; asked once for each.
  package mutating func searchesNow() -> Bool {
    guard leftOut > 0 else { return true }
    leftOut -= 1
    return false
  }

  package mutating func note(_ holding: Recorder.Holding) {
    switch holding {
    case .shown: misses = 0
    case .open: misses += 1
    case .tooLarge: misses += Self.patience  // which is the dearest
    }
    leftOut = misses < Self.patience ? 0 : 1 << min(misses - Self.patience, Self.mostDoublings)
  }
}
