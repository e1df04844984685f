import LiveObjectsAnalysis

extension TextPage {
  private static let listedTypes = 20
  private static let typeWidth = 60

  /// Adds the types that grew.
  mutating func add(growthOf report: Report) {
    if report.tests.isEmpty && !report.ranNoTest {
      let grown = report.types.filter { $0.growth > 0 }
      add(grown: grown.filter { $0.dependency == nil })
      add(dependencies: grown)
    } else {
      add(growthUnderTestsOf: report.types)
    }
    add(pinnedOf: report.types)
  }

  /// Adds the program's types that grew while tests ran, the others as one line: a test process has many
  /// objects of the test libraries. Nothing where no type of the program grew.
  private mutating func add(growthUnderTestsOf types: [TypeGrowth]) {
    let grown = types.filter { $0.growth > 0 }
    let own = grown.filter { $0.isUserDefined && $0.dependency == nil }
    add(grown: own)
    guard !own.isEmpty else { return }
    add(dependencies: grown)
    add(grown.filter { !$0.isUserDefined }, of: "the system and of test libraries")
  }

  private mutating func add(dependencies types: [TypeGrowth]) {
    let byPackage = Dictionary(grouping: types.filter { $0.dependency != nil }) { $0.dependency ?? "" }
    for (package, types) in byPackage.sorted(by: { $0.key < $1.key }) { add(types, of: package) }
  }

  private mutating func add(_ types: [TypeGrowth], of origin: String) {
    guard !types.isEmpty else { return }
    let (instances, bytes) = Self.growth(of: types)
    add(
      "  … and \(Count.of(types.count, "type", "types")) of \(origin), "
        + "\(Count.of(instances, "instance", "instances")), \(Count.bytes(bytes))")
  }

  private mutating func add(grown: [TypeGrowth]) {
    guard !grown.isEmpty else { return }
    let rest = grown.dropFirst(Self.listedTypes)
    var rows = [["Live objects, leaked or not", "new", "live", "size", "kind"]]
    rows += grown.prefix(Self.listedTypes).map(Self.row)
    if !rest.isEmpty { rows.append(Self.summary(of: rest)) }
    add()
    // Without a baseline all live objects have grown.
    if grown.allSatisfy({ $0.growth == $0.live }) {
      for index in rows.indices { rows[index].remove(at: 2) }
      rows[0][1] = "objects"
      add(rows: rows, [.left, .right, .right, .left], indentation: 2)
    } else {
      add(rows: rows, [.left, .right, .right, .right, .left], indentation: 2)
    }
  }

  /// Adds the program's types with objects that are deinitialised and not freed.
  private mutating func add(pinnedOf types: [TypeGrowth]) {
    let pinned = types.filter { $0.isUserDefined && $0.pinned > 0 }
    guard !pinned.isEmpty else { return }
    add()
    add("  Deinitialised, their memory kept by unowned references")
    add(
      rows: pinned.map { ["\(Count.grouped($0.pinned)) ×", $0.type.shortened(to: Self.typeWidth)] },
      [.right, .left], indentation: 4)
  }

  private static func row(of type: TypeGrowth) -> [String] {
    [
      type.type.abridged(to: typeWidth), Count.grouped(type.growth), Count.grouped(type.live),
      Count.bytes(type.growthBytes), type.kind.rawValue,
    ]
  }

  private static func summary(of types: some Collection<TypeGrowth>) -> [String] {
    let (instances, bytes) = growth(of: types)
    return [
      "… and \(Count.of(types.count, "more type", "more types"))",
      Count.grouped(instances), Count.grouped(types.reduce(0) { $0 + $1.live }), Count.bytes(bytes), "",
    ]
  }

  static func growth(of types: some Collection<TypeGrowth>) -> (instances: Int, bytes: UInt64) {
    types.reduce(into: (0, 0)) { sum, type in
      sum.0 += type.growth
      sum.1.add(saturating: type.growthBytes)
    }
  }
}

extension TextPage {
  private static let listedTests = 25
  private static let testWidth = 86

  /// Adds a line for each test with leaks or other findings that fail, as they ran. Held objects are often
  /// intended: those in properties of a test case are.
  mutating func add(failingTestsOf report: Report, _ causes: [Cause], _ failOn: FailOn?) {
    let reported = causes.filter { $0.section == .leaks || failOn.map($0.fails) == true }
    let causes = Self.causes(reported)
    let names = report.tests.map { TestName($0) }.filter { causes[$0] != nil }
    guard !names.isEmpty else { return }
    add()
    let areLeaks = reported.allSatisfy { $0.section == .leaks }
    add(areLeaks ? "Tests that leak:" : "Tests with findings that fail:", style: .bold)
    add()
    add(
      rows: names.prefix(Self.listedTests).map { name in
        [name.description.shortened(to: Self.testWidth), Self.counts(of: causes[name] ?? [])]
      }, [.left, .left], indentation: 2)
    let more = Count.more(than: Self.listedTests, of: names.count, "test", "tests")
    if let more { add("  … \(more); the JSON report lists them all") }
  }

  private static func causes(_ causes: [Cause]) -> [TestName: [FindingSection]] {
    causes.reduce(into: [:]) { sections, cause in
      for test in cause.tests { sections[test, default: []].append(cause.section) }
    }
  }

  /// `2 leaks`, `1 leak, 2 held, 1 grown`
  fileprivate static func counts(of causes: [FindingSection]) -> String {
    func count(_ section: FindingSection) -> Int { causes.count { $0 == section } }
    let (leaks, held, grown) = (count(.leaks), count(.held), count(.growth))
    let undecided = count(.undecided)
    return [
      leaks > 0 ? Count.of(leaks, "leak", "leaks") : nil,
      undecided > 0 ? "\(Count.grouped(undecided)) undecided" : nil,
      held > 0 ? "\(Count.grouped(held)) held" : nil,
      grown > 0 ? "\(Count.grouped(grown)) grown" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
