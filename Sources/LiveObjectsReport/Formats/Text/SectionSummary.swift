import LiveObjectsAnalysis

/// One line about findings that are not listed.
struct SectionSummary {
  private let section: FindingSection
  private let causes: [Cause]

  init(_ section: FindingSection, _ causes: [Cause]) { (self.section, self.causes) = (section, causes) }

  /// Name, content, and the option that lists the findings.
  var row: [String] { ["\(name):", content, "--list \(section.part.map(\.rawValue) ?? "")"] }

  private var name: String {
    switch section {
    case .leaks: "Leaks"
    case .held: "Held"
    case .growth: "Growth"
    case .known: "Known"
    case .libraryLeaks: "Library leaks"
    }
  }

  private var content: String {
    switch section {
    case .leaks: size
    case .held: "\(size), still reachable, which may be intended"
    case .growth: "\(size), still allocated, holder unknown"
    case .known: reasons
    case .libraryLeaks: "\(size), inside of XCTest, Swift or the system"
    }
  }

  /// `12 instances of 2 types`, with those of dependencies apart.
  private var size: String {
    let own = causes.filter { !$0.isInternal }
    let internals = causes.filter(\.isInternal)
    let packages = Set(internals.compactMap(\.dependency)).sorted().joined(separator: ", ")
    return [
      own.isEmpty ? nil : Self.size(of: own),
      internals.isEmpty ? nil : "\(Self.size(of: internals)) in \(packages)",
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private static func size(of causes: [Cause]) -> String {
    let types = Set(causes.lazy.flatMap(\.variants).map(\.type)).count
    return Count.of(causes.reduce(0) { $0 + $1.instances }, "instance", "instances") + " of "
      + Count.of(types, "type", "types")
  }

  /// `29 findings of the baseline, 2 suppressed`
  private var reasons: String {
    let findings = causes.flatMap(\.findings)
    let baseline = findings.count { $0.acceptance == .baseline }
    let issues = findings.count(where: \.isKnownIssue)
    let suppressed = findings.count - baseline - issues
    return [
      baseline > 0 ? "\(Count.of(baseline, "finding", "findings")) of the baseline" : nil,
      suppressed > 0 ? "\(Count.grouped(suppressed)) suppressed" : nil,
      issues > 0 ? Count.of(issues, "known issue", "known issues") : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

extension TextPage {
  private static let listedEntries = 10

  /// Adds the lines about what is not listed.
  mutating func add(summaries rows: [[String]]) {
    guard !rows.isEmpty else { return }
    add()
    add(rows: rows, [.left, .left, .left], indentation: 0)
  }

  /// Adds entries of the baseline and suppressions that are of no use any more.
  mutating func add(acceptedOf accepted: Report.Accepted) {
    let unused = accepted.suppressions.filter { $0.findings == 0 }
    guard !(accepted.staleEntries.isEmpty && unused.isEmpty) else { return }
    add()
    if !accepted.staleEntries.isEmpty {
      let (entries, occur) = accepted.staleEntries.count == 1 ? ("entry", "occurs") : ("entries", "occur")
      add(
        "\(Count.grouped(accepted.staleEntries.count)) stale \(entries) in the baseline no longer \(occur); "
          + "--prune-baseline removes \(entries == "entry" ? "it" : "them"):")
      add(list: accepted.staleEntries.map { $0.split(separator: "\t").joined(separator: "  ") })
    }
    if !unused.isEmpty {
      add("\(Count.of(unused.count, "suppression matches", "suppressions match")) nothing:")
      add(list: unused.map { "line \($0.line): \($0.text)" })
    }
  }

  private mutating func add(list entries: [String]) {
    for entry in entries.prefix(Self.listedEntries) { add("  " + entry.shortened(to: Self.width - 2)) }
    let rest = entries.count - Self.listedEntries
    if rest > 0 { add("  … and \(Count.grouped(rest)) more") }
  }
}
