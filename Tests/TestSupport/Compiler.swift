import Foundation

/// The Swift compiler, for programs that no target of the package can be.
public enum Compiler {
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// The sources of a program in `Tests/Fixtures`.
  public static func sources(of fixture: String) throws -> [String] {
    try sources(in: fixtureFolder + "/" + fixture)
  }

  /// All Swift and C sources in a folder and in those inside it.
  public static func sources(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
      .map { folder + "/" + $0 }
  }

  /// Compiles as the fixtures were: with or without optimisation, and with unwind tables.
  public static func compile(_ sources: [String], _ arguments: [String], to output: String) throws {
    let optimization = BuiltProducts.areFixturesOptimized ? "-O" : "-Onone"
    try run("swiftc", [optimization, "-g"] + sources + arguments + ["-o", output])
  }

  /// Runs a program of the toolchain or of the system by its name.
  public static func run(_ name: String, _ arguments: [String]) throws {
    // A busy machine may be slow.
    let run = try runProgram(try find(name), arguments)
    guard run.status == .exited(0) else {
      // SwiftPM writes its compilers' errors on standard output.
      let output = run.standardOutput.suffix(4_000) + run.standardError
      throw Failure(description: "\(name) \(arguments): \(run.status)\n\(output)")
    }
  }

  /// The triple of the system that it compiles for.
  public static func target() throws -> String {
    struct Info: Decodable {
      struct Target: Decodable { var triple: String }
      var target: Target
    }
    let info = try runProgram(try find("swiftc"), ["-print-target-info"]).standardOutput
    return try JSONDecoder().decode(Info.self, from: Data(info.utf8)).target.triple
  }

  /// The path of a program of the toolchain or of the system.
  public static func find(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let paths = folders.map { $0 + "/" + name } + toolchain(in: folders).map { $0 + "/" + name }
    guard let found = paths.first(where: FileManager.default.isExecutableFile) else {
      throw Failure(description: "\(name) is neither in PATH nor in the toolchain")
    }
    return found
  }

  /// Distributions keep most of a toolchain outside of PATH, where a link in PATH leads.
  private static func toolchain(in folders: [String]) -> [String] {
    folders.map { $0 + "/swiftc" }.filter(FileManager.default.isExecutableFile).prefix(1).map {
      URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path
    }
  }

  /// The arguments with which the compiler finds the package's modules, and those in C that they import.
  public static let searchPaths: [String] = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: sourceFolder)) ?? []
    let headers = folders.map { "\(sourceFolder)/\($0)/include" }
      .filter { FileManager.default.fileExists(atPath: "\($0)/module.modulemap") }
    return (["\(BuiltProducts.folder)/Modules"] + headers).flatMap { ["-I", $0] }
  }()

  /// The package's own `Sources`.
  public static let sourceFolder = packageFolder + "/Sources"

  /// The package's own `Tests/Fixtures`.
  public static let fixtureFolder = packageFolder + "/Tests/Fixtures"

  private static let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
