import LiveObjectsAnalysis

/// Held objects by what keeps them: a channel that a variable holds, and all that it consists of.
///
/// What one property holds has one cause, whatever its types are: an `OrderedDictionary` has several parts, and a table
/// has elements. So has all that a held object of the same tests keeps alive. Objects that no test left behind have come
/// at different times: they have the cause of others only if each of these keeps no more of them, or elements of a
/// collection, than there are others. A thousand users have a thousand names, but one store has a thousand entries, which
/// may have grown by themselves.
struct HeldFindings {
  /// The findings at one place.
  private let findings: [Finding]
  private let tests: Set<TestName?>
  private let instances: Int
  private let dependencies: Set<String?>
  /// Types and references by turns, from the holder to the objects, or to the property that holds them.
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
      && (!tests.contains(nil)
        || instances > 0 && max(other.instances, other.elements) / instances <= holders)
  }

  /// Each element of a collection holds objects of its own.
  private var holders: Int { max(instances, elements) }

  private var elements: Int { findings.lazy.compactMap(\.elements).max() ?? 0 }

  /// The findings of one cause.
  struct Joined {
    /// The findings of the objects next to the holder.
    var first: [Finding]
    /// The others, by place.
    var nested: [[Finding]]
    /// What keeps the others alive: `the property keeps`.
    var holderPhrase: String

    fileprivate init(_ first: HeldFindings, _ others: [HeldFindings]) {
      let types = Dictionary(grouping: first.findings, by: \.type).values.sorted(by: Self.precedes)
      self.first = types[0]
      nested = types.dropFirst() + others.map(\.findings)
      holderPhrase = first.property == nil ? "these objects keep" : "the property keeps"
      // A finding that counts others by itself has their task for its cause.
      if nested.isEmpty { holderPhrase = "the task keeps" }
    }

    /// What has a fix names the cause, such as a collection and not its elements.
    private static func precedes(_ a: [Finding], _ b: [Finding]) -> Bool {
      let (first, second) = (a.contains { $0.hint != nil }, b.contains { $0.hint != nil })
      return first == second ? Finding.precedes(a[0], b[0]) : first
    }
  }

  /// - Parameter held: findings of held objects.
  static func joined(_ held: [Finding]) -> [Joined] {
    let groups = groups(of: held).sorted(by: precedes)
    let firsts = firsts(of: groups)
    return Dictionary(grouping: groups.indices) { firsts[$0] }.map { first, all in
      Joined(groups[first], all.filter { $0 != first }.map { groups[$0] })
    }
  }

  /// What one thing keeps has one key. Findings with one fingerprint have one cause in all tests, also if only some of
  /// the tests show what ends it.
  private static func groups(of held: [Finding]) -> [HeldFindings] {
    let fingerprints = Dictionary(grouping: held, by: \.fingerprint).values.map { findings in
      findings.sorted { ($0.hint == nil ? 1 : 0, hintText($0)) < ($1.hint == nil ? 1 : 0, hintText($1)) }
    }
    return Dictionary(grouping: fingerprints) { key(of: $0[0]) }.values
      .map { HeldFindings($0.flatMap { $0 }) }
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
    (2..<max(2, min(place.count, 256))).lazy.compactMap { places[Array(place[..<$0])] }
      .first { groups[$0].holds(self) }
  }

  /// Equal for objects that one thing keeps, and for which one fix is enough.
  private static func key(of finding: Finding) -> [String] {
    let hint = finding.hint?.action == .limitCollection ? "" : hintText(finding)
    return place(of: finding) + [finding.dependency ?? "", hint]
  }

  private static func hintText(_ finding: Finding) -> String { finding.hint.map { HintText($0).text } ?? "" }

  /// The property of a test case that holds the objects: one of the program's, or one that XCTest has for itself, as for
  /// the blocks of `addTeardownBlock`.
  private static func property(_ finding: Finding) -> String? {
    if let hint = finding.hint { return hint.action == .clearProperty ? hint.places[0].name : nil }
    guard finding.path.count > 1, finding.path[1].type.hasPrefix("XCTest.XCTestCase.") else { return nil }
    return finding.path[1].type
  }

  /// It ends with the property that holds the objects, if they are parts or elements of its value; else with their type.
  private static func place(of finding: Finding) -> [String] {
    var steps = finding.path.flatMap { [$0.type, $0.property] }
    if let property = property(finding) { steps[0] = property }
    let isPart = finding.elements != nil || finding.path.last.map { !$0.reference.isEmpty } ?? false
    return isPart ? steps : steps + [finding.type]
  }

  /// The nearest to the holder come first.
  private static func precedes(_ a: HeldFindings, _ b: HeldFindings) -> Bool {
    let (first, second) = (a.findings[0].fingerprint, b.findings[0].fingerprint)
    guard a.place.count == b.place.count else { return a.place.count < b.place.count }
    return a.place == b.place ? first < second : a.place.lexicographicallyPrecedes(b.place)
  }
}

extension Finding.PathStep {
  /// The property that the reference begins with: `table` of `table._keys[3].name`.
  fileprivate var property: String { String(reference.prefix { $0 != "." && $0 != "[" }) }
}
