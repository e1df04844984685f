import Foundation

/// The output of a run of XCTest.
public struct XCTestRun: Sendable {
  /// One line `file:line: error: Class.test : message`, and those that follow it.
  public struct Failure: Hashable, Sendable {
    /// `File.swift:12`.
    public var place: String
    /// `Class.test`.
    public var test: String
    public var message: String
  }

  public let run: ProgramRun
  public let failures: [Failure]

  public init(_ run: ProgramRun) {
    self.run = run
    failures = Self.failures(in: run.standardOutput)
  }

  /// The messages of one test.
  public func messages(of test: String) -> [String] { failures.filter { $0.test == test }.map(\.message) }

  /// The tests that left objects behind, in order.
  public var leaking: [String] { failures.filter(\.isLeak).map(\.test) }

  /// The tests that XCTest calls failed at their end, in order: `Class.test`.
  public var failed: [String] { tests("failed") }

  /// Those that it calls passed.
  public var passed: [String] { tests("passed") }

  private func tests(_ outcome: String) -> [String] {
    run.standardOutput.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "'")
      return parts.count == 3 && parts[0] == "Test Case " && parts[2].hasPrefix(" \(outcome) (")
        ? String(parts[1]) : nil
    }
  }

  /// `Executed 3 tests, with 1 failure (0 unexpected)` of all suites together.
  public var summary: String? {
    run.standardOutput.split(separator: "\n").last { $0.contains("Executed ") }
      .map { $0.prefix { $0 != ")" } + ")" }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static func failures(in output: String) -> [Failure] {
    var failures: [Failure] = []
    var isWithin = false
    for line in output.split(separator: "\n") {
      if let failure = Failure(line) {
        failures.append(failure)
        isWithin = true
      } else if isWithin, line.hasPrefix("  ") {
        failures[failures.count - 1].message += "\n" + line
      } else {
        isWithin = false
      }
    }
    return failures
  }
}

extension XCTestRun.Failure {
  fileprivate init?(_ line: Substring) {
    guard let mark = line.range(of: ": error: "), let colon = line.range(of: " : ") else { return nil }
    place = String(line[..<mark.lowerBound].split(separator: "/").last ?? "")
    test = String(line[mark.upperBound..<colon.lowerBound])
    message = String(line[colon.upperBound...])
  }

  /// Recorded by the companion.
  public var isLeak: Bool {
    message.hasPrefix("LiveObjects: ")
  }
}
