import TestSupport

/// What Swift Testing printed.
struct SwiftTestingRun: Sendable {
  static let arguments = ["--testing-library", "swift-testing"]

  struct Issue: Hashable, Sendable {
    /// `leaking()`
    var test: String
    /// `File.swift:12`
    var place: String
    var message: String
  }

  let run: ProgramRun
  let issues: [Issue]

  init(_ run: ProgramRun) {
    self.run = run
    issues = Self.issues(in: run.standardOutput + run.standardError)
  }

  func messages(of test: String) -> [String] { issues.filter { $0.test == test }.map(\.message) }

  private static func issues(in output: String) -> [Issue] {
    var issues: [Issue] = []
    var isWithin = false
    for line in output.split(separator: "\n") {
      if let issue = Issue(line) {
        issues.append(issue)
        isWithin = true
      } else if isWithin, line.hasPrefix("↳") || line.hasPrefix("  ") {
        issues[issues.count - 1].message += "\n" + line
      } else {
        isWithin = false
      }
    }
    return issues
  }
}

extension SwiftTestingRun.Issue {
  /// `✘ Test leaking() recorded an issue with 1 argument number → 0 at File.swift:8:19: Issue recorded`
  fileprivate init?(_ line: Substring) {
    let verb = " recorded an issue "
    guard let start = line.range(of: " Test "), let verb = line.range(of: verb),
      let at = line.ranges(of: "at ").last(where: { $0.lowerBound >= verb.upperBound })
    else { return nil }
    test = String(line[start.upperBound..<verb.lowerBound])
    let parts = line[at.upperBound...].split(separator: ":", maxSplits: 3)
    guard parts.count == 4 else { return nil }
    place = "\(parts[0]):\(parts[1])"
    message = String(parts[3])
  }
}
