import LiveObjectsAnalysis

/// The kinds of findings in a report, in their order.
enum FindingSection: String, CaseIterable {
  case leaks, undecided, held, growth, known, libraryLeaks

  /// The common property of the findings, and no more than is certain.
  var heading: String {
    switch self {
    case .leaks: "Leaks: unreachable objects that are still allocated"
    case .undecided: "Undecided: objects that are a leak or in use"
    case .held: "Held: objects that are still reachable, which may be intended"
    case .growth: "Growth: objects that are still allocated, holder unknown"
    case .known: "Known: findings of the baseline, suppressed ones, and issues that tests expect"
    case .libraryLeaks: "Library leaks: leaks inside of XCTest, Swift or the system"
    }
  }

  /// Whether a command's exit status counts them, or with which option it would; leaks fail by default.
  func failing(_ failOn: FailOn) -> String {
    let reason = failOn.includes(self) ? "because of `--fail-on \(failOn.rawValue)`" : nil
    return switch self {
    case .leaks: failOn == .none ? "; the run fails only without `--fail-on none`" : ""
    case .undecided: "; the run fails \(reason ?? "only with `--fail-on undecided`")"
    case .held: "; the run fails \(reason ?? "only with `--fail-on held`")"
    case .growth: "; the run fails \(reason ?? "only with `--fail-on growth`")"
    case .known, .libraryLeaks: "; the run never fails because of them"
    }
  }

  /// Whether the findings are listed in full: leaks, whatever makes the run fail, and what was requested. A report
  /// without a command has all.
  func isListed(_ failOn: FailOn?, _ requested: Set<TextRenderer.Part>) -> Bool {
    guard let failOn else { return true }
    return self == .leaks || self == .undecided || failOn.includes(self)
      || part.map(requested.contains) == true
  }

  /// The part of a text report; leaks are always listed.
  var part: TextRenderer.Part? {
    switch self {
    case .leaks, .undecided: nil
    case .held: .held
    case .growth: .growth
    case .known: .known
    case .libraryLeaks: .library
    }
  }

  init(of finding: Finding) {
    self =
      finding.isLibraryLeak
      ? .libraryLeaks : finding.acceptance != nil ? .known : Self.section(of: finding)
  }

  private static func section(of finding: Finding) -> FindingSection {
    if finding.certainty == .undecided { return .undecided }
    return switch finding.verdict {
    case .retainCycle, .overRetained, .leakedTask, .lostBuffer: .leaks
    case .heldBy: .held
    case .growth: .growth
    }
  }
}
