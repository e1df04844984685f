import Foundation
import TestSupport

/// The Swift compiler, for programs that no target of the package can be.
enum Compiler {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static func sources(of fixture: String) throws -> [String] {
    try sources(in: packageFolder + "/Tests/Fixtures/" + fixture)
  }

  /// All Swift and C sources in a folder.
  static func sources(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
      .map { folder + "/" + $0 }
  }

  /// Compiles as the tests themselves were: with or without optimisation, and with unwind tables.
  static func compile(_ sources: [String], _ arguments: [String], to output: String) throws {
    #if DEBUG
      let configuration = ["-Onone", "-g"]
    #else
      let configuration = ["-O", "-g"]
    #endif
    try run("swiftc", configuration + sources + arguments + ["-o", output])
  }

  /// Runs a program of the toolchain or of the system by its name.
  static func run(_ name: String, _ arguments: [String]) throws {
    let run = try runProgram(try find(name), arguments, timeout: .seconds(300))
    guard run.status == .exited(0) else {
      throw Failure(description: "\(name) \(arguments): \(run.status)\n\(run.standardError)")
    }
  }

  private static func find(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates = folders.map { $0 + "/" + name }
    guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw Failure(description: "\(name) is not in PATH")
    }
    return found
  }

  static let sourceFolder = packageFolder + "/Sources"

  private static let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
}
