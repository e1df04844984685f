import Foundation
import TestSupport
import Testing

/// `Tests/Fixtures/Packages/AssertionIdioms`, as its test binary is: tests that assert something about leaks,
/// on code that leaks and on the same code fixed.
enum AssertionIdioms {
  static let package = FixturePackage("AssertionIdioms")

  /// All its XCTests, run once.
  static let xctests = Result { XCTestRun(try run([])) }

  /// Its tests of Swift Testing, run once, but for those that use assertions for XCTest.
  static let swiftTests = Result {
    SwiftTestingRun(try run(SwiftTestingRun.arguments + ["--skip", "MixedSwiftTests"]))
  }

  static func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> ProgramRun {
    try runProgram(try package.testBinary(), arguments, environment: environment)
  }

  /// Swift Testing lets traits run code round a test since 6.1. Without, there is no `detectsLeaks`.
  static let haveTrait: Bool = {
    #if compiler(>=6.1)
      true
    #else
      false
    #endif
  }()

  /// A failure, or where one is due.
  struct Place: Hashable, Comparable {
    var test: String
    /// `File.swift:12`
    var line: String

    static func < (a: Place, b: Place) -> Bool { (a.test, a.line) < (b.test, b.line) }
  }

  /// Where the sources that are compiled say `// fails: Class.test`.
  static func due(in target: String) throws -> [Place] {
    let folder = package.folder + "/Tests/" + target
    return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { file in
      try due(inFile: folder + "/" + file, called: file)
    }.sorted()
  }

  private static func due(inFile path: String, called name: String) throws -> [Place] {
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
