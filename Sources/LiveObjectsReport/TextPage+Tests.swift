import LiveObjectsAnalysis

extension TextPage {
  private static let listedTests = 25
  private static let testWidth = 76

  /// Adds a line for each test that left something behind, those with most leaks first, equals as they ran.
  mutating func add(testsOf report: Report) {
    var counts: [TestName: TestCounts] = [:]
    for finding in report.findings where !finding.isLibraryLeak {
      guard let name = TestName(of: finding) else { continue }
      counts[name, default: TestCounts()].add(finding)
    }
    guard !counts.isEmpty else { return }
    let names = report.tests.map { TestName($0) }
    let sorted = names.compactMap { name in counts[name].map { (name: name, counts: $0) } }
      .sortedStably(by: \.counts)
    add()
    add("Tests that left something behind:", style: .bold)
    add()
    add(
      rows: sorted.prefix(Self.listedTests).map { name, counts in
        [name.description.shortened(to: Self.testWidth), counts.text]
      }, [.left, .left], indentation: 2)
    let rest = sorted.count - Self.listedTests
    if rest > 0 {
      add("  … and \(Count.of(rest, "more test", "more tests")); the JSON report lists them all")
    }
  }
}

/// How much of what a test left behind.
private struct TestCounts: Equatable, Comparable {
  private var leaks = 0
  private var held = 0
  private var growth = 0

  mutating func add(_ finding: Finding) {
    switch finding.verdict {
    case .retainCycle, .overRetained: leaks += 1
    case .heldBy: held += 1
    case .growth: growth += 1
    }
  }

  /// `2 leaks, 1 held`
  var text: String {
    [(leaks, leaks == 1 ? "leak" : "leaks"), (held, "held"), (growth, "grown")]
      .filter { $0.0 > 0 }.map { "\(Count.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
  }

  static func < (a: TestCounts, b: TestCounts) -> Bool {
    (a.leaks, a.held, a.growth) < (b.leaks, b.held, b.growth)
  }
}
