import ArgumentParser
import LiveObjectsReport

/// `liveobjects test-runner … -- BINARY ARGUMENTS`: what SwiftPM starts instead of a test binary.
///
/// It notes the run and becomes the binary: same process, same streams, same signals.
struct TestRunnerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-runner", abstract: "Runs a test binary for `liveobjects test`.", shouldDisplay: false)

  @Option(help: "The preload library.")
  var library: String

  @Option(help: "The folder of captures.")
  var captures: String

  @Option(help: "Settings for the preload library.")
  var options: String?

  @Argument(parsing: .postTerminator, help: "The test binary and its arguments.")
  var command: [String]

  /// The arguments that make this subcommand of what SwiftPM appends.
  static func arguments(library: String, captures: CaptureFolder, options: String?) -> [String] {
    [configuration.commandName!, "--library", library, "--captures", captures.path]
      + (options.map { ["--options", $0] } ?? []) + ["--"]
  }

  func run() throws {
    let arguments = Array(command.dropFirst())
    let environment =
      TestRun.onlyLists(arguments) ? Environment.variables : try watchedEnvironment()
    let error = ChildProcess.become(program: command[0], arguments: arguments, environment: environment)
    throw ToolFailure("cannot start \(command[0]): \(error)")
  }

  private func watchedEnvironment() throws(ToolFailure) -> [String] {
    let folder = CaptureFolder(existing: captures)
    let run = try TestRun(noting: command, in: folder)
    return PreloadLibrary.environment(
      preloading: library, options: [options, folder.options(prefix: run.capturePrefix)])
  }
}
