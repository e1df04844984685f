/// The output of a run of Swift Testing.
public struct SwiftTestingRun: Sendable {
  public static let arguments = ["--testing-library", "swift-testing"]

  public struct Issue: Hashable, Sendable {
    /// `leaking()`
    public var test: String
    /// `name → "first"` of a case; `nil` for a test without parameters.
    public var arguments: String?
    /// `File.swift:12`
    public var place: String
    public var message: String
  }

  public let run: ProgramRun
  public let issues: [Issue]

  public init(_ run: ProgramRun) {
    self.run = run
    issues = Self.issues(in: run.standardOutput + run.standardError)
  }

  /// The messages of one test, all its cases together.
  public func messages(of test: String) -> [String] { issues.filter { $0.test == test }.map(\.message) }

  /// The arguments of the cases of a test that began.
  public func arguments(of test: String) -> Set<String> {
    // Swift 6.0 says `Passing 1 argument name → "first" to test(name:)`.
    let began = /[Pp]assing \d+ arguments? (.+) to (.+?)(?: started\.|$)/
    let lines = (run.standardOutput + run.standardError).split(separator: "\n")
    return Set(lines.compactMap { $0.firstMatch(of: began) }.filter { $0.2 == test }.map { String($0.1) })
  }

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
    arguments = line[verb.upperBound..<at.lowerBound].wholeMatch(of: #/with \d+ arguments? (.+) /#)
      .map { String($0.1) }
    let parts = line[at.upperBound...].split(separator: ":", maxSplits: 3)
    guard parts.count == 4 else { return nil }
    place = "\(parts[0]):\(parts[1])"
    message = String(parts[3])
  }
}
