import Foundation
import TestSupport

/// The test binary of `Tests/Fixtures/Packages/XCTestLeaks`, under the preload library.
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
