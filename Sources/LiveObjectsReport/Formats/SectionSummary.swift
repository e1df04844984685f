import LiveObjectsAnalysis

/// One line about findings that are not listed.
struct SectionSummary {
  private let section: FindingSection
  private let causes: [Cause]

  init(_ section: FindingSection, _ causes: [Cause]) { (self.section, self.causes) = (section, causes) }

  /// The sections after the leaks that have causes.
  static func afterLeaks(_ causes: [Cause], in report: Report) -> [SectionSummary] {
    FindingSection.allCases.filter { $0 != .leaks }.compactMap { section in
      let causes = causes.filter { $0.section == section && !$0.isTestRunners(in: report) }
      return causes.isEmpty ? nil : SectionSummary(section, causes)
    }
  }

  /// Name, content, and the option that lists the findings.
  var row: [String] { ["\(name):", sentence, "--list \(section.part.map(\.rawValue) ?? "")"] }

  var name: String { section.name }

  /// How many there are, and what they have in common.
  var sentence: String {
    switch section {
    case .leaks: size
    case .undecided: "\(size), a leak or in use"
    case .held: "\(size), still reachable, which may be intended"
    case .growth: "\(size), still allocated, holder unknown"
    case .known: reasons
    case .libraryLeaks: "\(size), inside of XCTest, Swift or the system"
    }
  }

  private static let listedFixes = 3
  private static let longestType = 60

  /// How to fix the first ones, where that is known: `Connection, 2 instances, 96 bytes: the channel …: close it`
  var fixes: [String] {
    guard section == .held || section == .growth else { return [] }
    let own = causes.filter { !$0.isInternal && $0.sum.hint != nil }
    // Test cases are mostly meant to keep what they do.
    let isOfTestCase = { (cause: Cause) in cause.sum.hint?.action == .clearProperty }
    let sorted = own.filter { !isOfTestCase($0) } + own.filter(isOfTestCase)
    return sorted.prefix(Self.listedFixes).compactMap { cause in
      cause.sum.hint.map { "\(Self.name(of: cause)), \(cause.sum.size): \(HintText($0).text)" }
    }
  }

  private static func name(of cause: Cause) -> String {
    cause.sum.type.withoutModules.abridged(to: longestType)
  }

  /// `12 instances of 2 types (4.1 MB)`, with those of dependencies apart.
  private var size: String {
    let own = causes.filter { !$0.isInternal }
    let internals = causes.filter(\.isInternal)
    let packages = Set(internals.compactMap(\.dependency)).sorted()
    let names = packages.count > 3 ? "\(packages.count) dependencies" : packages.joined(separator: ", ")
    return [
      own.isEmpty ? nil : Self.size(of: own),
      internals.isEmpty ? nil : "\(Self.size(of: internals)) in \(names)",
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private static func size(of causes: [Cause]) -> String {
    let types = Set(causes.lazy.flatMap(\.variants).map(\.type)).count
    let bytes = causes.lazy.flatMap(\.findings).reduce(into: UInt64(0)) { $0.add(saturating: $1.ownBytes) }
    return Count.of(causes.reduce(0) { $0 + $1.instances }, "instance", "instances") + " of "
      + "\(Count.of(types, "type", "types")) (\(Count.bytes(bytes)))"
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

extension FindingSection {
  /// The name of a group of findings.
  var name: String {
    switch self {
    case .leaks: "Leaks"
    case .undecided: "Undecided"
    case .held: "Held"
    case .growth: "Growth"
    case .known: "Known"
    case .libraryLeaks: "Library leaks"
    }
  }

  /// The name of one of its findings.
  var kind: String {
    switch self {
    case .leaks: "Leak"
    case .libraryLeaks: "Library leak"
    default: name
    }
  }
}
