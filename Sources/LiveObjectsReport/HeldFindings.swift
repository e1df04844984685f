import LiveObjectsAnalysis

/// Held objects that other held objects keep alive: a channel that a variable holds, and all that it consists of.
///
/// They have one cause if the path to the one leads through the others, in each test, and each of the others keeps no
/// more of them, or elements of a collection, than there are others: a thousand users have a thousand names, but one
/// store has a thousand entries, which may have grown by themselves. But all that one property of a test case holds has
/// one cause: each test has a test case of its own, which holds nothing of other tests.
struct HeldFindings {
  /// The findings at one place.
  private let findings: [Finding]
  private let tests: Set<TestName?>
  private let instances: Int
  private let dependencies: Set<String?>
  /// Types and references by turns, from the holder to the objects.
  private let place: [String]

  private var hint: Finding.Hint? { findings[0].hint }
  private var property: String? { Self.property(findings[0]) }

  private init(_ findings: [Finding]) {
    self.findings = findings
    tests = Set(findings.map { TestName(of: $0) })
    instances = findings.reduce(0) { $0 + $1.instances }
    dependencies = Set(findings.map(\.dependency))
    place = Self.place(of: findings[0])
  }

  /// What a dependency holds by itself keeps nothing of the program's own out of sight. That elements are to be removed
  /// is no fix for a collection that is a part of each object.
  private func holds(_ other: HeldFindings) -> Bool {
    (other.hint.map { $0 == hint || $0.action == .limitCollection } ?? true)
      && other.tests.isSubset(of: tests)
      && dependencies.count == 1 && dependencies == other.dependencies
      && instances > 0 && max(other.instances, other.elements) / instances <= instances
  }

  private var elements: Int { findings.lazy.compactMap(\.elements).max() ?? 0 }

  /// The findings of one cause.
  struct Joined {
    /// The findings of the objects next to the holder.
    var first: [Finding]
    /// The others, by place.
    var nested: [[Finding]]
    /// What keeps the others alive: `the property keeps`.
    var holderPhrase: String

    fileprivate init(_ first: HeldFindings, _ nested: [HeldFindings]) {
      self.first = first.findings
      self.nested = nested.map(\.findings)
      holderPhrase = first.property == nil ? "these objects keep" : "the property keeps"
      // A finding that counts others by itself has their task for its cause.
      if nested.isEmpty { holderPhrase = "the task keeps" }
    }
  }

  /// - Parameter held: findings of held objects.
  static func joined(_ held: [Finding]) -> [Joined] {
    let groups = Dictionary(grouping: held, by: key).values.map(HeldFindings.init).sorted(by: precedes)
    let firsts = firsts(of: groups)
    return Dictionary(grouping: groups.indices) { firsts[$0] }.map { first, all in
      Joined(groups[first], all.filter { $0 != first }.map { groups[$0] })
    }
  }

  /// The group that each one has its cause from; itself for a cause of its own. What nested findings hold has the
  /// same.
  private static func firsts(of groups: [HeldFindings]) -> [Int] {
    var (places, properties): ([[String]: Int], [String: Int]) = ([:], [:])
    var firsts: [Int] = []
    for (index, group) in groups.enumerated() {
      let holder = group.property.flatMap { properties[$0] } ?? group.holder(in: groups, places)
      firsts.append(holder.map { firsts[$0] } ?? index)
      places[group.place] = places[group.place] ?? index
      if let property = group.property { properties[property] = properties[property] ?? index }
    }
    return firsts
  }

  /// The first group on the path whose objects keep these alive. Near its beginning: all parts of a long path from a
  /// file would take hours.
  private func holder(in groups: [HeldFindings], _ places: [[String]: Int]) -> Int? {
    stride(from: 3, to: min(place.count, 256), by: 2).lazy.compactMap { places[Array(place[..<$0])] }
      .first { groups[$0].holds(self) }
  }

  /// Equal for objects that are held at one place. A property that test cases inherit is one.
  private static func key(of finding: Finding) -> [String] {
    property(finding) == nil ? [finding.fingerprint] : place(of: finding)
  }

  /// The property of a test case that holds the objects: one of the program's, or one that XCTest has for itself, as for
  /// the blocks of `addTeardownBlock`.
  private static func property(_ finding: Finding) -> String? {
    if let hint = finding.hint { return hint.action == .clearProperty ? hint.places[0].name : nil }
    guard finding.path.count > 1, finding.path[1].type.hasPrefix("XCTest.XCTestCase.") else { return nil }
    return finding.path[1].type
  }

  private static func place(of finding: Finding) -> [String] {
    var steps = finding.path.flatMap { [$0.type, $0.referenceWithoutElements] } + [finding.type]
    if let property = property(finding) { steps[0] = property }
    return steps
  }

  /// The nearest to the holder come first.
  private static func precedes(_ a: HeldFindings, _ b: HeldFindings) -> Bool {
    let (first, second) = (a.findings[0].fingerprint, b.findings[0].fingerprint)
    guard a.place.count == b.place.count else { return a.place.count < b.place.count }
    return a.place == b.place ? first < second : a.place.lexicographicallyPrecedes(b.place)
  }
}
