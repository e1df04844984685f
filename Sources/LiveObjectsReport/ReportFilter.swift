import LiveObjectsAnalysis

/// The findings that a report is restricted to. Without patterns or verdicts of a kind, all match.
package struct ReportFilter: Sendable {
  private let tests: [(text: String, pattern: WildcardPattern)]
  private let types: [WildcardPattern]
  private let verdicts: Set<Finding.Verdict>
  /// As in a command, for the note in the report.
  private let description: String

  /// - Parameters:
  ///   - tests: patterns in the syntax of suppressions; at least one matches a finding's test.
  ///   - types: the same for the finding's type or one on its path.
  package init(tests: [String], types: [String], verdicts: [Finding.Verdict]) {
    self.tests = tests.map { ($0, WildcardPattern($0[...])) }
    self.types = types.map { WildcardPattern($0[...]) }
    self.verdicts = Set(verdicts)
    let parts = [("test", tests), ("type", types), ("verdict", verdicts.map(\.rawValue))]
    description = parts.flatMap { name, values in values.map { "--\(name) \($0)" } }.joined(separator: " ")
  }

  package var isEmpty: Bool { description.isEmpty }

  fileprivate func includes(_ finding: Finding) -> Bool {
    (verdicts.isEmpty || verdicts.contains(finding.verdict))
      && (tests.isEmpty || finding.test.map { includes(test: $0) } ?? false)
      && (includes(type: finding.type) || finding.path.contains { includes(type: $0.type) })
  }

  fileprivate func includes(test: String) -> Bool {
    tests.isEmpty || tests.contains { $0.pattern.matches(test) }
  }

  fileprivate func includes(type: String) -> Bool {
    types.isEmpty || types.contains { $0.matches(type) }
  }

  /// Whether all findings of a type match that has a pattern.
  fileprivate var selectsTypesOnly: Bool { tests.isEmpty && verdicts.isEmpty }

  /// The patterns that match no test of a report, a sentence each: such a filter would hide every leak.
  package func mistakes(in report: Report) -> [String] {
    let ids = Set(report.tests.map(\.id) + report.findings.compactMap(\.test))
    return tests.filter { test in !ids.contains(where: test.pattern.matches) }.map {
      "--test \($0.text) matches none of \(Count.of(ids.count, "test", "tests"))"
    }
  }

  fileprivate func note(matching: Int, of all: Int) -> String {
    "The report is restricted: of \(Count.of(all, "finding", "findings")) \(Count.grouped(matching)) "
      + "\(matching == 1 ? "matches" : "match") \(description)."
  }
}

extension Report {
  /// Leaves out the findings, tests and types that do not match. Types have no tests and no verdicts: with such
  /// a filter, those of the remaining findings stay.
  package mutating func restrict(to filter: ReportFilter) {
    guard !filter.isEmpty else { return }
    let all = findings.count
    // A report without tests does not mean here that none ran.
    if !tests.isEmpty { tracking.listedTests = false }
    keepFindings(as: .filter, where: filter.includes)
    tests.removeAll { !filter.includes(test: $0.id) }
    let found = Set(findings.map(\.type))
    types.removeAll { type in
      !(filter.selectsTypesOnly ? filter.includes(type: type.type) : found.contains(type.type))
    }
    tracking.notes.append(filter.note(matching: findings.count, of: all))
  }

  /// Leaves out findings, also from the lists of tests. A report without all of them is never clean.
  mutating func keepFindings(as restriction: Restriction, where isIncluded: (Finding) -> Bool) {
    tracking.restriction = restriction
    findings.removeAll { !isIncluded($0) }
    released.removeAll { !isIncluded($0) }
    let kept = Dictionary(grouping: findings) { TestName(of: $0) }.mapValues { Set($0.map(\.fingerprint)) }
    for index in tests.indices {
      let fingerprints = kept[TestName(tests[index])] ?? []
      tests[index].findings.removeAll { !fingerprints.contains($0) }
    }
  }
}
