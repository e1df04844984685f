import Testing

/// Real programs under the preload library: it counts exactly their survivors.
///
/// One after another, because each takes the whole machine.
@Suite(.serialized, .enabled(if: isWatchable)) enum Exactness {}

private var isWatchable: Bool {
  #if os(Linux)
    true
  #else
    false
  #endif
}
