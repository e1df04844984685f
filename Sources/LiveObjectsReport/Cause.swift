import LiveObjectsAnalysis

/// Findings with one cause, which are one entry of a report.
///
/// Findings with the same fingerprint have one cause, in however many tests: the same types hold each other, or are
/// held, through the same references. Different ones have one cause if the same thing keeps them: leaks if one change
/// ends them (`SharedCuts`), held objects by what holds them (`HeldFindings`). Growth has one cause for each type.
public struct Cause: Sendable {
  /// At least one, the most important first.
  public let findings: [Finding]
  /// Findings with one fingerprint as one, most important first. Growth of one type is one.
  let variants: [Finding]
  /// What keeps the victims alive: `only these objects keep`.
  let holderPhrase: String
  /// The tests that left the objects behind, by name; empty for unattributed objects.
  private(set) var tests: [TestName]

  /// The causes in the order of a report: leaks, held objects, growth, known issues, library leaks.
  static func all(of findings: [Finding]) -> [Cause] {
    let sections = Dictionary(grouping: findings, by: FindingSection.init(of:))
    return FindingSection.allCases.flatMap { causes(of: sections[$0] ?? []) }
  }

  /// The explained causes, most important first, then growth by type, most instances first.
  private static func causes(of findings: [Finding]) -> [Cause] {
    let leaks = Dictionary(grouping: findings.filter(\.isUnreachable), by: \.fingerprint)
    let held = findings.filter { $0.verdict == .heldBy }
    let growth = Dictionary(grouping: findings.filter { $0.verdict == .growth }) {
      [$0.type, $0.kind.rawValue]
    }
    let explained =
      SharedCuts.joined(Array(leaks.values)).map { Cause($0) }
      + HeldFindings.joined(held).map { Cause([$0.first], $0.nested, heldBy: $0.holderPhrase) }
    return explained.sorted(by: precedes) + growth.values.map { Cause([$0]) }.sorted(by: precedes)
  }

  /// The program's own come first.
  private static func precedes(_ a: Cause, _ b: Cause) -> Bool {
    let (first, second) = (a.dependency == nil, b.dependency == nil)
    return first == second ? Finding.precedes(a.sum, b.sum) : first
  }

  /// - Parameters:
  ///   - variants: findings that are merged into one each.
  ///   - nested: findings whose objects are counted as the victims of the first variant.
  private init(
    _ variants: [[Finding]], _ nested: [[Finding]] = [],
    heldBy holderPhrase: String = "only these objects keep"
  ) {
    var sorted = variants.map { (findings: $0, sum: Finding.sum(of: $0)) }
      .sorted { Finding.precedes($0.sum, $1.sum) }
    sorted[0].sum.add(victims: nested.map(Finding.sum(of:)))
    sorted[0].findings += nested.joined()
    self.variants = sorted.map(\.sum)
    self.holderPhrase = holderPhrase
    findings = sorted.flatMap(\.findings)
    var seen: Set<TestName> = []
    tests = findings.compactMap { TestName(of: $0) }.filter { seen.insert($0).inserted }
      .sorted { $0.description < $1.description }
  }
}

extension Cause {
  /// The greatest variant, which names the cause.
  var sum: Finding { variants[0] }

  /// The least of the fingerprints: it does not depend on the number of instances.
  public var id: String { fingerprints[0] }

  /// The dependency whose code alone made and holds the objects; `nil` for those of the program's own.
  public var dependency: String? {
    variants.allSatisfy { $0.dependency == sum.dependency } ? sum.dependency : nil
  }

  /// Whether it is a dependency's own affair: of these, the text gives the number only.
  var isInternal: Bool { dependency != nil && sum.isInternal }

  /// The fingerprints of all findings, sorted.
  public var fingerprints: [String] { Set(findings.map(\.fingerprint)).sorted() }

  /// Whether some of the objects are unattributed.
  public var hasUnattributed: Bool { findings.contains { $0.test == nil } }

  /// Separate groups of connected objects, of all findings.
  public var instances: Int { variants.reduce(0) { $0 + $1.instances } }

  /// All objects in the groups, victims included.
  public var objects: Int { variants.reduce(0) { $0 + $1.objects } }

  /// Objects that are alive only because of the leaked ones.
  public var victims: Int { variants.reduce(0) { $0 + $1.victims } }
  var victimTypes: [Finding.VictimType] { Finding.VictimType.sum(of: variants.flatMap(\.victimTypes)) }

  /// Bytes asked for by the objects.
  public var bytes: UInt64 { variants.reduce(into: 0) { $0.add(saturating: $1.bytes) } }

  var section: FindingSection { FindingSection(of: sum) }

  /// Whether it is a leak of the test library outside of all tests, the same in every test process.
  func isTestRunners(in report: Report) -> Bool {
    section == .libraryLeaks && !report.tests.isEmpty && tests.isEmpty
  }

  /// Whether a finding makes the run fail.
  package func fails(_ failOn: FailOn) -> Bool { findings.contains(where: failOn.includes) }
}

extension Report {
  /// The findings by their causes: leaks first, then held objects, growth, known issues and library leaks.
  public var causes: [Cause] { Cause.all(of: findings) }

  /// The number of tests in which the same cause was accepted, by a baseline for example.
  func testsThatKnow(_ cause: Cause) -> Int {
    guard cause.sum.acceptance == nil else { return 0 }
    let fingerprints = Set(cause.fingerprints)
    return Set(
      findings.lazy.filter { $0.acceptance != nil && fingerprints.contains($0.fingerprint) }
        .compactMap { TestName(of: $0) }
    ).count
  }

  /// The place of a test that left a cause's objects behind.
  func place(ofTestsOf cause: Cause) -> SourcePlace? {
    let names = Set(cause.tests)
    return tests.lazy.filter { names.contains(TestName($0)) }
      .compactMap { SourcePlace($0.file, $0.line, self.run) }.first
  }
}

// MARK: - As text

extension Cause {
  /// The name of growth has its kind; the names of closures and boxes contain it.
  var name: String {
    guard sum.verdict == .growth else { return sum.title }
    return sum.type.hasPrefix(sum.kind.rawValue) ? sum.type : "\(sum.type)  (\(sum.kind.rawValue))"
  }

  /// Equal call sites as one; most instances first.
  var callSites: [CallSiteGroup] {
    CallSiteGroup.groups(of: variants.flatMap(\.allocatedAt))
  }

  /// The variants after the first that a report shows.
  var listedVariants: ArraySlice<Finding> { variants.dropFirst().prefix(Self.mostListedVariants) }

  private static let mostListedVariants = 3

  /// `211 more findings with 240 instances, in the JSON report`; `nil` if all are shown.
  var unlistedVariants: String? {
    let rest = variants.dropFirst().dropFirst(Self.mostListedVariants)
    guard !rest.isEmpty else { return nil }
    let instances = Count.of(rest.reduce(0) { $0 + $1.instances }, "instance", "instances")
    return "\(Count.of(rest.count, "more finding", "more findings")) with \(instances), in the JSON report"
  }

  /// Call sites that the findings do not list.
  var omittedCallSites: Int { variants.reduce(0) { $0 + $1.omittedCallSites } }

  /// Calls with missing releases.
  var retainedAt: [Finding.RetainingCallSite] { variants.flatMap(\.retainedAt) }

  var remarks: [String] { Finding.sum(of: variants).remarks }

  /// Whether there are unbalanced retains, and none were recorded.
  var wantsRetains: Bool { variants.contains { $0.unexplainedRetains > 0 } && retainedAt.isEmpty }
}

extension Finding {
  /// `5 instances, 20 objects, 640 bytes`
  var size: String {
    if let collectionSize { return collectionSize }
    var parts = [Count.of(instances, "instance", "instances")]
    if objects != instances { parts.append(Count.of(objects, "object", "objects")) }
    return (parts + [Count.bytes(bytes)]).joined(separator: ", ")
  }
}
