import LiveObjectsCapture

/// Counts and sizes of objects.
struct Tally {
  var live = 0
  var growth = 0
  var pinned = 0
  var bytes: UInt64 = 0
  var growthBytes: UInt64 = 0
  /// Strong retains without a matching reference; 0 where references were not read.
  var unexplainedRetains = 0

  mutating func add(_ object: LiveObject, baseline: UInt64) {
    guard !object.isPinned else {
      pinned += 1
      return
    }
    live += 1
    bytes.add(saturating: object.bytes)
    guard object.sequence >= baseline else { return }
    growth += 1
    growthBytes.add(saturating: object.bytes)
  }

  mutating func add(_ other: Tally) {
    live += other.live
    growth += other.growth
    pinned += other.pinned
    bytes.add(saturating: other.bytes)
    growthBytes.add(saturating: other.growthBytes)
    unexplainedRetains += other.unexplainedRetains
  }
}
