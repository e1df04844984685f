import Foundation
import TestSupport
import Testing

/// The test binary of `Tests/Fixtures/Packages/AssertionIdioms`: tests that use the assertions, on leaking code and on
/// the same code fixed.
enum AssertionIdioms {
  static let package = FixturePackage("AssertionIdioms")

  /// A run of all its XCTests.
  static let xctests = Result { XCTestRun(try run([])) }

  /// A run of its Swift Testing tests, except those that use assertions for XCTest.
  static let swiftTests = Result {
    SwiftTestingRun(try run(SwiftTestingRun.arguments + ["--skip", "MixedSwiftTests"]))
  }

  static func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> ProgramRun {
    try runProgram(try package.testBinary(), arguments, environment: environment)
  }

  /// Traits can run code around a test since Swift Testing 6.1; `detectsLeaks` needs that.
  static let haveTrait: Bool = {
    #if compiler(>=6.1)
      true
    #else
      false
    #endif
  }()

  /// A failure, or an expected one.
  struct Place: Hashable, Comparable {
    var test: String
    /// `File.swift:12`
    var line: String

    static func < (a: Place, b: Place) -> Bool { (a.test, a.line) < (b.test, b.line) }
  }

  /// The lines of the compiled sources with a comment `// fails: Class.test`.
  static func expectedFailures(in target: String) throws -> [Place] {
    let folder = package.folder + "/Tests/" + target
    return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { file in
      try expectedFailures(inFile: folder + "/" + file, called: file)
    }.sorted()
  }

  private static func expectedFailures(inFile path: String, called name: String) throws -> [Place] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    var isCompiled = true
    return lines.enumerated().compactMap { number, line in
      if line.hasSuffix("#if compiler(>=6.1)") { isCompiled = haveTrait }
      if line.hasSuffix("#endif") { isCompiled = true }
      guard isCompiled, let mark = line.range(of: "// fails: ") else { return nil }
      return Place(test: String(line[mark.upperBound...]), line: "\(name):\(number + 1)")
    }
  }
}

extension Trait where Self == ConditionTrait {
  static var needsDetectsLeaks: Self {
    .enabled(if: AssertionIdioms.haveTrait, "Swift Testing before 6.1 has no traits that run code")
  }
}
