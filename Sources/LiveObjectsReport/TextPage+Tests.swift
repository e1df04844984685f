import LiveObjectsAnalysis

extension TextPage {
  private static let listedTests = 25
  private static let testWidth = 86

  /// Adds a line for each test with leaks or other findings that fail, as they ran. Held objects are often
  /// intended: those in properties of a test case are.
  mutating func add(failingTestsOf report: Report, _ failOn: FailOn?) {
    let reported = report.findings.filter { $0.isLeak || failOn?.includes($0) == true }
    let findings = Dictionary(grouping: reported) { TestName(of: $0) }
    let names = report.tests.map { TestName($0) }.filter { findings[$0] != nil }
    guard !names.isEmpty else { return }
    add()
    add(reported.allSatisfy(\.isLeak) ? "Tests that leak:" : "Tests with findings that fail:", style: .bold)
    add()
    add(
      rows: names.prefix(Self.listedTests).map { name in
        [name.description.shortened(to: Self.testWidth), Self.counts(of: findings[name] ?? [])]
      }, [.left, .left], indentation: 2)
    let rest = names.count - Self.listedTests
    guard rest > 0 else { return }
    add("  … and \(Count.of(rest, "more test", "more tests")); the JSON report lists them all")
  }

  /// `2 leaks`, `1 leak, 2 held, 1 grown`
  private static func counts(of findings: [Finding]) -> String {
    let leaks = findings.count(where: \.isLeak)
    let held = findings.count { $0.verdict == .heldBy }
    let grown = findings.count { $0.verdict == .growth }
    return [
      leaks > 0 ? Count.of(leaks, "leak", "leaks") : nil, held > 0 ? "\(Count.grouped(held)) held" : nil,
      grown > 0 ? "\(Count.grouped(grown)) grown" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}
