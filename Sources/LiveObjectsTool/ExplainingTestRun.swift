import LiveObjectsAnalysis
import LiveObjectsReport

/// A second run of `swift test`, which records retains: of the tests that left objects behind, without building
/// again.
struct ExplainingTestRun {
  /// The types whose retains are recorded.
  let types: RetainPatterns
  /// The arguments of `swift test`.
  let arguments: [String]

  /// More tests are not selected one by one: command lines are limited, and each filter costs time.
  private static let mostFilters = 500

  /// - Parameters:
  ///   - first: the arguments of the first run.
  ///   - findings: what the first run left behind.
  /// - Returns: `nil` if no finding is of a type with a name.
  init?(after first: [String], of findings: [Finding]) {
    guard let types = RetainPatterns(of: findings) else { return nil }
    self.types = types
    // If some objects belong to no test, any test may have left them behind.
    let tests = Set(findings.filter { !$0.isLibraryLeak }.map(\.test))
    let filters = tests.contains(nil) ? [] : Self.filters(for: tests.compactMap { $0 })
    arguments = first.skippingBuild(first.runsAllTests ? filters : [])
  }

  /// Options that select tests by their ids.
  static func filters(for tests: [String]) -> [String] {
    guard tests.count <= mostFilters else { return [] }
    return tests.sorted().flatMap { ["--filter", "^\(escaped($0))(/|$)"] }
  }

  /// Swift Testing compares with names that go on after a slash, with the place of the test.
  private static func escaped(_ name: String) -> String {
    String(name.flatMap { ".*+?^$(){}[]|\\".contains($0) ? ["\\", $0] : [$0] })
  }
}

extension [String] {
  /// These arguments of `swift test`, behind others, without building again.
  func skippingBuild(_ others: [String] = []) -> [String] {
    (contains("--skip-build") ? [] : ["--skip-build"]) + others + self
  }
}

/// The types whose retains a second run shall record: those of the objects that a first one left behind.
struct RetainPatterns: Equatable {
  /// Patterns of the option `retains`.
  let patterns: [String]

  /// The preload library takes no longer value.
  private static let mostBytes = 4_000

  /// - Parameter findings: leaks count; only where there are none, what has merely grown.
  /// - Returns: `nil` if no finding is of a type with a name.
  init?(of findings: [Finding]) {
    let own = findings.filter(\.isActionable)
    let leaks = own.filter(\.isUnreachable)
    let types = (leaks.isEmpty ? own : leaks).flatMap(Self.types(of:))
    var room = Self.mostBytes
    patterns = Set(types.compactMap(Self.pattern(for:))).sorted().prefix { pattern in
      room -= pattern.utf8.count + 1
      return room >= 0
    }
    if patterns.isEmpty { return nil }
  }

  /// The settings of the second run.
  ///
  /// - Parameter options: those of the first one.
  func added(to options: String?) -> String {
    [options, "retains='\(patterns.joined(separator: ","))'"].compactMap { $0 }.joined(separator: ":")
  }

  /// All that a cycle consists of; of a path from a holder, only what it leads to.
  private static func types(of finding: Finding) -> [String] {
    [finding.type] + (finding.verdict == .retainCycle ? finding.path.map(\.type) : [])
  }

  /// The name in the source: outer types before it, and no generic arguments. A type nested in an extension
  /// or a function goes by its own name alone. Closures and the like have none.
  private static func pattern(for type: String) -> String? {
    let isNested = type.hasPrefix("(extension in ")
    let plain = String(type.drop { isNested && $0 != ":" }.drop { $0 == ":" }).withoutArguments
    let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
    let isNominal = parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isPartOfName) }
    guard isNominal, let name = parts.last else { return nil }
    return isNested ? "*.\(name)" : plain
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
