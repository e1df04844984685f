import LiveObjectsAnalysis

extension TextPage {
  private static let listedTests = 25
  private static let testWidth = 86

  /// Adds a line for each test that leaked, those with most leaks first, equals as they ran. What is held is
  /// often meant to be: a test case's properties are.
  mutating func add(leakingTestsOf report: Report) {
    var leaks: [TestName: Int] = [:]
    for finding in report.findings where finding.isLeak {
      if let name = TestName(of: finding) { leaks[name, default: 0] += 1 }
    }
    guard !leaks.isEmpty else { return }
    let names = report.tests.map { TestName($0) }.filter { leaks[$0] != nil }.sortedStably { leaks[$0] ?? 0 }
    add()
    add("Tests that leak:", style: .bold)
    add()
    add(
      rows: names.prefix(Self.listedTests).map { name in
        [name.description.shortened(to: Self.testWidth), Count.of(leaks[name] ?? 0, "leak", "leaks")]
      }, [.left, .left], indentation: 2)
    let rest = names.count - Self.listedTests
    guard rest > 0 else { return }
    add("  … and \(Count.of(rest, "more test", "more tests")); the JSON report lists them all")
  }
}
