import LiveObjectsAnalysis

extension Finding {
  /// Adds what another process left behind in the same way.
  mutating func merge(_ other: Finding) {
    instances += other.instances
    objects += other.objects
    victims += other.victims
    bytes.add(saturating: other.bytes)
    omittedCallSites += other.omittedCallSites
    var counts: [[SourceFrame]: Int] = [:]
    for site in allocatedAt + other.allocatedAt { counts[site.frames, default: 0] += site.instances }
    // In the order of appearance, so that sorting gives the same order in every run.
    let frames = (allocatedAt + other.allocatedAt).map(\.frames)
    let merged = frames.compactMap { frames in
      counts.removeValue(forKey: frames).map { CallSite(instances: $0, frames: frames) }
    }
    allocatedAt = merged.enumerated()
      .sorted { ($1.element.instances, $0.offset) < ($0.element.instances, $1.offset) }
      .map(\.element)
  }
}

extension TypeGrowth {
  /// Adds the objects of the same type in another process.
  mutating func merge(_ other: TypeGrowth) {
    isUsers = isUsers || other.isUsers
    live += other.live
    growth += other.growth
    bytes.add(saturating: other.bytes)
    growthBytes.add(saturating: other.growthBytes)
    pinned += other.pinned
  }
}
