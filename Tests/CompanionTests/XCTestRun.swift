import Foundation
import TestSupport

/// `Tests/Fixtures/Packages/XCTestLeaks`, as its test binary is, under the preload library.
enum XCTestLeaks {
  static let package = FixturePackage("XCTestLeaks")

  /// - Parameters:
  ///   - tests: as the binary takes them, `OrderTests` or `OrderTests/testB_leaks`; none for all.
  ///   - options: for `LIVEOBJECTS_OPTIONS`. Reports are thrown away unless these say where they go.
  static func run(
    _ tests: String..., options: String = "", library: String = BuiltProducts.preloadLibrary
  ) throws -> XCTestRun {
    let names = tests.map { "LeakyTests." + $0 }.joined(separator: ",")
    return XCTestRun(
      try runProgram(
        try package.testBinary(), names.isEmpty ? [] : [names],
        environment: ["LD_PRELOAD": library, "LIVEOBJECTS_OPTIONS": "output=/dev/null:" + options]))
  }

  /// Where a test is declared.
  static func declaration(of test: String, in file: String) throws -> String? {
    let path = "Tests/LeakyTests/" + file
    return try package.line(of: "func \(test)()", in: path).map { "\(file):\($0)" }
  }
}

/// What XCTest printed.
struct XCTestRun {
  /// One line `file:line: error: Class.test : message`, and those that follow it.
  struct Failure: Hashable {
    /// `File.swift:12`.
    var place: String
    /// `Class.test`.
    var test: String
    var message: String
  }

  let run: ProgramRun
  let failures: [Failure]

  init(_ run: ProgramRun) {
    self.run = run
    failures = Self.failures(in: run.standardOutput)
  }

  /// The messages of one test.
  func messages(of test: String) -> [String] { failures.filter { $0.test == test }.map(\.message) }

  /// The tests that left something behind, in order.
  var leaking: [String] { failures.filter(\.isLeak).map(\.test) }

  /// `Executed 3 tests, with 1 failure (0 unexpected)` of all suites together.
  var summary: String? {
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

  /// It is the companion's.
  var isLeak: Bool {
    ["probabl", "retain cycle", "over-retained", "held by", "growth"].contains(where: message.hasPrefix)
  }
}
