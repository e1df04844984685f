import Testing

/// Real programs, watched by the preload library: what it counts is what they left behind, to the object.
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
