import LiveObjectsCapture

// Which findings are one, and what it has: the rule for all of them. One process merges findings as it names them
// (`FindingMerger`), a report those of several processes and tests, a comparison those of all cases of a test; a cause
// has the sum of its own.

extension Finding {
  /// The key of equal findings.
  package struct Key: Hashable {
    private let fingerprint: String
    private let test: String?
    private let testCase: String?
    private let acceptance: Acceptance?

    package init(_ finding: Finding) {
      (fingerprint, test, testCase) = (finding.fingerprint, finding.test, finding.testCase)
      acceptance = finding.acceptance
    }
  }

  /// Types of victims that a finding lists: one with as many may have more.
  package static let mostVictimTypes = 16

  /// Adds an equal finding. Call sites are not merged.
  mutating func add(_ other: Finding) {
    members += other.members.map { $0.renumbered(from: instances) }
    instances += other.instances
    objects += other.objects
    victims += other.victims
    victimTypes = Array(VictimType.sum(of: victimTypes + other.victimTypes).prefix(Self.mostVictimTypes))
    bytes.add(saturating: other.bytes)
    ownBytes.add(saturating: other.ownBytes)
    omittedCallSites += other.omittedCallSites
    unexplainedRetains += other.unexplainedRetains
    elements = elements.flatMap { mine in other.elements.map { sumOfElements(mine, $0, in: other) } }
    isLibraryLeak = isLibraryLeak && other.isLibraryLeak
    if dependency != other.dependency { dependency = nil }
    if other.isNamedByTest && !isNamedByTest {
      name(after: Subject(type: other.type, kind: other.kind, path: other.path, isOfTest: true))
    }
    if !other.otherCycle.isEmpty, otherCycle.isEmpty || other.otherCycle.count < otherCycle.count {
      otherCycle = other.otherCycle
    }
    mayBeReleased = mayBeReleased || other.mayBeReleased
    certainty = max(certainty, other.certainty)
    add(remarks: other.remarks)
  }

  /// The elements of both findings. Those of several tests are about the same collections.
  private func sumOfElements(_ elements: Int, _ others: Int, in other: Finding) -> Int {
    (test, testCase) == (other.test, other.testCase) ? elements + others : max(elements, others)
  }

  /// Adds remarks that are not there yet, up to 16 in all.
  mutating func add(remarks others: [String]) {
    for remark in others where remarks.count < 16 && !remarks.contains(remark) { remarks.append(remark) }
  }
}

extension Finding {
  /// Findings of several processes or tests, those with equal keys as one, in the order of reports.
  package static func merged(_ findings: [Finding], by key: (Finding) -> some Hashable) -> [Finding] {
    Dictionary(grouping: findings, by: key).values.map(sum(of:)).sorted(by: precedes)
  }

  /// Equal findings as one, with their call sites and the hint of most.
  ///
  /// - Parameter same: at least one.
  package static func sum(of same: [Finding]) -> Finding {
    guard same.count > 1 else { return same[0] }
    var merged = same.dropFirst().reduce(into: same[0]) { $0.add($1) }
    merged.allocatedAt = CallSite.merged(same.flatMap(\.allocatedAt))
    merged.retainedAt = RetainingCallSite.merged(same.flatMap(\.retainedAt))
    merged.hint = Hint.merged(same.compactMap(\.hint))
    return merged
  }
}

extension Finding {
  /// Counts the objects of other findings as victims. It may count their bytes already, as what its own objects keep alive.
  package mutating func add(victims: [Finding]) {
    for other in victims {
      objects += other.objects
      self.victims += other.objects
      ownBytes.add(saturating: other.ownBytes)
      bytes = max(bytes, other.bytes, ownBytes)
      members += other.members.map { member in
        var victim = member
        (victim.instance, victim.isCore) = (0, false)
        return victim
      }
    }
    let types = victims.flatMap { [VictimType($0.type, $0.objects - $0.victims)] + $0.victimTypes }
    victimTypes = Array(VictimType.sum(of: victimTypes + types).prefix(Self.mostVictimTypes))
  }
}

extension Finding.VictimType {
  /// One for each type: the program's own first, each part with most objects first.
  package static func sum(of all: [Self]) -> [Self] {
    all.mergingEqual(by: \.type) { $0.objects += $1.objects }
      .map { (isSystem: TypeName($0.type).isUserDefined ? 0 : 1, type: $0) }
      .sorted { ($0.isSystem, $1.type.objects, $0.type.type) < ($1.isSystem, $0.type.objects, $1.type.type) }
      .map(\.type)
  }
}

// MARK: - Call sites

extension Finding.CallSite {
  /// Merges equal call sites; most instances first.
  package static func merged(_ sites: [Self]) -> [Self] {
    sites.mergingEqual(by: \.frames) {
      $0.instances += $1.instances
      $0.bytes.add(saturating: $1.bytes)
      $0.isEstimated = $0.isEstimated || $1.isEstimated
      $0.types = Set($0.types + $1.types).sorted()
    }
    .sortedStably { $0.instances }
  }
}

extension Finding.RetainingCallSite {
  /// Retains without a release.
  package var unmatched: Int { retains - releases }

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
