import LiveObjectsAnalysis

extension Finding {
  /// Merges equal findings of several processes or tests into one.
  ///
  /// - Parameter same: at least one.
  static func merged(_ same: [Finding]) -> Finding {
    guard same.count > 1 else { return same[0] }
    var merged = same.dropFirst().reduce(into: same[0]) { $0.add($1) }
    merged.allocatedAt = CallSite.merged(same.flatMap(\.allocatedAt))
    merged.retainedAt = RetainingCallSite.merged(same.flatMap(\.retainedAt))
    return merged
  }
}

extension Finding.CallSite {
  /// Merges equal call sites; most instances first.
  fileprivate static func merged(_ sites: [Self]) -> [Self] {
    sites.mergingEqual(by: \.frames) { $0.instances += $1.instances }
      .sortedStably { $0.instances }
  }
}

extension Finding.RetainingCallSite {
  /// Retains without a release.
  var unmatched: Int { retains - releases }

  /// Merges equal call sites; most missing releases first.
  fileprivate static func merged(_ sites: [Self]) -> [Self] {
    sites.mergingEqual(by: \.frames) {
      $0.retains += $1.retains
      $0.releases += $1.releases
    }
    .sortedStably { $0.unmatched }
  }
}

extension Array {
  /// One element for each key, in the order of their first appearance.
  fileprivate func mergingEqual<Key: Hashable>(
    by key: (Element) -> Key, _ merge: (inout Element, Element) -> Void
  ) -> [Element] {
    var positions: [Key: Int] = [:]
    return reduce(into: []) { merged, element in
      if let position = positions[key(element)] {
        merge(&merged[position], element)
      } else {
        positions[key(element)] = merged.count
        merged.append(element)
      }
    }
  }

  /// The greatest first; equals stay in their order, so that sorting gives the same in every run.
  fileprivate func sortedStably(by rank: (Element) -> some Comparable) -> [Element] {
    enumerated()
      .sorted { (rank($1.element), $0.offset) < (rank($0.element), $1.offset) }
      .map(\.element)
  }
}

extension TypeGrowth {
  /// Adds the objects of the same type in another process.
  mutating func merge(_ other: TypeGrowth) {
    isUserDefined = isUserDefined || other.isUserDefined
    live += other.live
    growth += other.growth
    bytes.add(saturating: other.bytes)
    growthBytes.add(saturating: other.growthBytes)
    pinned += other.pinned
  }
}
