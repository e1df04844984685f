import ArgumentParser
import LiveObjectsReport
import LiveObjectsSymbolication

/// `liveobjects test-runner FOLDER BINARY ARGUMENTS`: what SwiftPM starts instead of a test binary.
///
/// It notes the run and becomes the binary: same process, same streams, same signals.
struct TestRunnerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test-runner", abstract: "Runs a test binary for `liveobjects test`.", shouldDisplay: false)

  @Argument(help: "The folder of captures, with the settings.")
  var captures: String

  @Argument(parsing: .captureForPassthrough, help: "The test binary and its arguments.")
  var command: [String]

  func run() throws {
    let arguments = Array(command.dropFirst())
    let environment =
      TestRun.onlyLists(arguments) ? Environment.variables : try watchedEnvironment()
    let error = ChildProcess.become(program: command[0], arguments: arguments, environment: environment)
    throw ToolFailure("cannot start \(command[0]): \(error)")
  }

  private func watchedEnvironment() throws(ToolFailure) -> [String] {
    let folder = CaptureFolder(existing: captures)
    let settings = try TestRunSettings(readFrom: folder)
    let run = try TestRun(noting: command, in: folder)
    return PreloadLibrary.environment(
      preloading: settings.library, options: [settings.options, folder.options(prefix: run.capturePrefix)])
  }
}

/// The settings that `liveobjects test` passes to the runner, in a file: SwiftPM prints the runner's
/// arguments if a test process crashes.
struct TestRunSettings {
  private static let file = "settings"

  /// The path of the preload library.
  var library: String
  /// The options of the library.
  var options: String

  init(library: String, options: String) {
    self.library = library
    self.options = options
  }

  init(readFrom folder: CaptureFolder) throws(ToolFailure) {
    let parts = try folder.bytes(of: Self.file).split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 2 else { throw ToolFailure("\(folder.path) is no folder of `liveobjects test`") }
    self.init(library: parts[0], options: parts[1])
  }

  func write(to folder: CaptureFolder) throws(ToolFailure) {
    try OutputFile("\(folder.path)/\(Self.file)").write(Array("\(library)\0\(options)".utf8))
  }
}
