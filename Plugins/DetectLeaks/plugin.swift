import Foundation
import PackagePlugin

/// `swift package detect-leaks ARGUMENTS` is `liveobjects test ARGUMENTS`, with parts that are built for it.
///
/// The plugin depends on no target, so that packages which only use the assertions do not build the tool.
@main
struct DetectLeaks: CommandPlugin {
  /// The tool is last: its path tells where all of them are.
  private static let products = [
    "LiveObjectsPreload", "LiveObjectsXCTestCompanion", "LiveObjectsTestingCompanion", "liveobjects",
  ]

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    // The first time this takes minutes.
    Self.say("building the tool…")
    let tool = try Self.products.map(build).last!
    let package = context.package.directoryURL
    let process = Process()
    process.executableURL = tool
    process.currentDirectoryURL = package
    // The folder of this build: <scratch path>/<triple>/<configuration>/liveobjects. `swift package` keeps it locked
    // while it waits for the plugin.
    let scratch = tool.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    process.arguments =
      ["test", "--package-path", package.path, "--ignore-lock", "--scratch-path", scratch.path] + arguments
    // SwiftPM announces that, without an end of line.
    Self.say("running the tests; the other instance of SwiftPM is this one, which waits for them:")
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit else { throw Failure("liveobjects was ended by a signal") }
    exit(process.terminationStatus)
  }

  private static func say(_ line: String) {
    FileHandle.standardError.write(Data("LiveObjects: \(line)\n".utf8))
  }

  /// - Returns: the file that was built.
  private func build(_ product: String) throws -> URL {
    let result = try packageManager.build(.product(product), parameters: .init(configuration: .inherit))
    guard result.succeeded else { throw Failure("\(product) cannot be built:\n\(result.logText)") }
    guard let file = result.builtArtifacts.first(where: { $0.url.lastPathComponent.contains(product) }) else {
      throw Failure("\(product) was not built: LiveObjects detects leaks on Linux only")
    }
    return file.url
  }
}

private struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
