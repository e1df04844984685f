import LiveObjectsAnalysis

/// Patterns of findings that fail nothing, in the syntax of LeakSanitizer: a line for each, `leak:PATTERN` for
/// types, modules, functions and files, or `test:PATTERN` for the tests that left the objects behind.
package struct Suppressions: Sendable, Equatable {
  /// One line.
  package struct Rule: Sendable, Hashable {
    /// As it was written: `leak:PATTERN`.
    package var text: String
    /// From 1 on.
    package var line: Int
    fileprivate var isAboutTest: Bool
    fileprivate var pattern: WildcardPattern
  }

  package private(set) var rules: [Rule] = []

  package init() {}

  /// - Throws: the first line that is no suppression.
  package init(parsing bytes: [UInt8]) throws(LineError) {
    for (number, line) in NumberedLines(bytes).lines {
      guard let rule = Rule(line, at: number) else {
        throw LineError(line: number, expectation: "leak:PATTERN or test:PATTERN")
      }
      rules.append(rule)
    }
  }

  /// The first rule that matches.
  func rule(for finding: Finding) -> Rule? { rules.first { $0.matches(finding) } }
}

extension Suppressions.Rule {
  fileprivate init?(_ text: Substring, at line: Int) {
    let isAboutTest = text.hasPrefix("test:")
    guard isAboutTest || text.hasPrefix("leak:"), text.utf8.count > "leak:".utf8.count else { return nil }
    self.init(
      text: String(text), line: line, isAboutTest: isAboutTest,
      pattern: WildcardPattern(text.dropFirst("leak:".count)))
  }

  fileprivate func matches(_ finding: Finding) -> Bool {
    if isAboutTest { return finding.test.map(pattern.matches) ?? false }
    return pattern.matches(finding.type) || finding.path.contains { pattern.matches($0.type) }
      || finding.allocatedAt.contains { $0.frames.contains(where: matches) }
      || finding.retainedAt.contains { $0.frames.contains(where: matches) }
  }

  private func matches(_ frame: SourceFrame) -> Bool {
    [frame.function, frame.module, frame.file].contains { $0.map(pattern.matches) ?? false }
  }
}
