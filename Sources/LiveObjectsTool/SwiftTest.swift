import LiveObjectsReport
import LiveObjectsSymbolication

/// `swift test`, with its test processes under the preload library.
struct SwiftTest {
  /// The arguments of `swift test`.
  let arguments: [String]
  let settings: TestRunSettings
  let captures: CaptureFolder

  /// Runs it to its end.
  ///
  /// SwiftPM takes a test runner from a toolset since 6.2: the tests alone are watched, and whatever `swift
  /// test` can do stays. Before that, everything that `swift test` starts gets the preload library, which is
  /// quiet in a toolchain's programs.
  ///
  /// - Returns: its end, and whether its test processes were started through the runner.
  func run(_ signals: BlockedSignals) throws(ToolFailure) -> (ending: ChildProcess.Ending, notesRuns: Bool) {
    guard arguments.runsTests else {
      return (try start([], environment: Environment.variables, signals), true)
    }
    let version = try SwiftPackageManager.version()
    let takesRunner = version.map { !$0.lexicographicallyPrecedes([6, 2]) } ?? true
    return (takesRunner ? try runWithRunner(signals) : try runPreloaded(signals), takesRunner)
  }

  private func runWithRunner(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    try settings.write(to: captures)
    let toolset = "\(captures.path)/toolset.json"
    try OutputFile(toolset).write(Array(toolsetText.utf8))
    return try start(["--toolset", toolset], environment: Environment.variables, signals)
  }

  private func runPreloaded(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    printError(
      "this SwiftPM does not support test runners (6.2 does): the library is preloaded into every program that swift test starts"
    )
    return try start(
      [],
      environment: PreloadLibrary.environment(
        preloading: settings.library, options: [settings.options, captures.options()]),
      signals)
  }

  /// A sentence about the reason why no test was started through this tool.
  var reasonForNoRuns: String {
    let mayNameRunner = arguments.contains { $0.hasPrefix("--toolset") || $0.hasPrefix("--swift-sdk") }
    return "swift test started no test process through this tool"
      + (mayNameRunner ? "; a test runner in your own --toolset or --swift-sdk takes its place" : "")
  }

  private func start(
    _ more: [String], environment: [String], _ signals: BlockedSignals
  ) throws(ToolFailure) -> ChildProcess.Ending {
    let command = ["swift", "test"] + more + arguments
    return try ForegroundProgram(command: command, environment: environment).run(signals)
  }

  private var toolsetText: String {
    let runner: JSONValue = .object([
      "path": .string(PreloadLibrary.tool ?? ""),
      "extraCLIOptions": .strings([TestRunnerCommand.configuration.commandName!, captures.path]),
    ])
    return JSONValue.object(["schemaVersion": .string("1.0"), "testRunner": runner]).text
  }
}
