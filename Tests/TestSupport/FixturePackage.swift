import Foundation

/// A package in `Tests/Fixtures/Packages`, built as the other fixtures: with or without optimisation.
///
/// Built once per process, into its own folder next to the other products, which the next run reuses.
public final class FixturePackage: Sendable {
  public let name: String
  /// The argument of `--scratch-path`.
  public let scratchFolder: String

  private let failure: Compiler.Failure?

  /// Builds the package with its tests. An error is thrown when the first product is requested.
  public init(_ name: String) {
    self.name = name
    scratchFolder = BuiltProducts.folder + "/FixturePackages/" + name
    // SwiftPM plans anew only where the package itself has changed: a file that was added to LiveObjects would not
    // be linked.
    try? FileManager.default.removeItem(atPath: "\(scratchFolder)/\(Self.configuration[1]).yaml")
    do {
      try Compiler.run(
        "swift",
        ["build", "--build-tests", "--package-path", Self.folder(of: name), "--scratch-path", scratchFolder]
          + Self.configuration)
      failure = nil
    } catch {
      failure = error as? Compiler.Failure ?? Compiler.Failure(description: "\(error)")
    }
  }

  /// The package's own folder.
  public var folder: String { Self.folder(of: name) }

  /// The executable that holds all its tests.
  ///
  /// - Throws: the compiler's output, if the package cannot be built.
  public func testBinary() throws -> String {
    if let failure { throw failure }
    return "\(scratchFolder)/\(Self.configuration[1])/\(name)PackageTests.xctest"
  }

  /// Runs the tests, as they are built, by `liveobjects test` or another command.
  public func test(
    _ arguments: [String], by command: String = "test", environment: [String: String?] = [:]
  ) throws -> ProgramRun {
    _ = try testBinary()
    return try runProgram(
      BuiltProducts.tool,
      [command, "--skip-build", "--package-path", folder, "--scratch-path", scratchFolder]
        + Self.configuration + arguments,
      environment: environment)
  }

  /// The line of a source file of the package that contains a text, counted from 1.
  public func line(of text: String, in file: String) throws -> Int? {
    try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.contains(text) }
      .map { $0 + 1 }
  }

  /// How the fixtures are built, for SwiftPM.
  public static var configuration: [String] {
    ["-c", BuiltProducts.areFixturesOptimized ? "release" : "debug"]
  }

  private static func folder(of name: String) -> String {
    Compiler.fixtureFolder + "/Packages/" + name
  }
}
