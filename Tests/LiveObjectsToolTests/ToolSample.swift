import TestSupport
import Testing

/// The fixture package: `Leaky` is left behind by one XCTest of five and by one of the Swift Testing tests.
enum ToolSample {
  private static let package = FixturePackage("ToolSample")

  static var path: String { package.folder }
  /// A copy, so that tests do not change the sources.
  static var scratchPath: [String] { ["--scratch-path", package.scratchFolder] }

  /// `liveobjects test` in the package's folder.
  static func test(
    _ arguments: [String] = [], environment: [String: String?] = [:], tool: String = BuiltProducts.tool
  ) throws -> ProgramRun {
    try run(tool, ["test"] + arguments + scratchPath, environment: environment)
  }

  /// A program in the package's folder.
  static func run(
    _ program: String, _ arguments: [String], environment: [String: String?] = [:]
  ) throws -> ProgramRun {
    _ = try package.testBinary()
    return try runProgram(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", path, program] + arguments,
      environment: environment)
  }
}
