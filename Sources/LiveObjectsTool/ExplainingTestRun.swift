import LiveObjectsAnalysis

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
    let build = first.contains("--skip-build") ? [] : ["--skip-build"]
    arguments = build + (first.runsAllTests ? Self.filters(for: findings) : []) + first
  }

  /// None if some objects belong to no test: any test may have left them behind.
  private static func filters(for findings: [Finding]) -> [String] {
    let tests = Set(findings.filter { !$0.isLibraryLeak }.map(\.test))
    guard tests.count <= mostFilters, !tests.contains(nil) else { return [] }
    return tests.compactMap { $0 }.sorted().flatMap { ["--filter", "^\(escaped($0))(/|$)"] }
  }

  /// Swift Testing compares with names that go on after a slash, with the place of the test.
  private static func escaped(_ name: String) -> String {
    String(name.flatMap { ".*+?^$(){}[]|\\".contains($0) ? ["\\", $0] : [$0] })
  }
}
