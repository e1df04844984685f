import LiveObjectsReport

/// `swift test`, with its test processes under the preload library.
struct SwiftTest {
  /// Those of `swift test`.
  let arguments: [String]
  let library: String
  /// For the preload library.
  let options: String?
  let captures: CaptureFolder

  /// Runs it to its end.
  ///
  /// SwiftPM takes a test runner from a toolset since 6.2: the tests alone are watched, and whatever `swift test`
  /// can do stays. Before that, everything that `swift test` starts gets the preload library, which is quiet in a
  /// toolchain's programs.
  ///
  /// - Returns: its end, and whether its test processes were started through the runner.
  func run(_ signals: BlockedSignals) throws(ToolFailure) -> (ending: ChildProcess.Ending, notesRuns: Bool) {
    let version = try SwiftPackageManager.version()
    let takesRunner = version.map { !$0.lexicographicallyPrecedes([6, 2]) } ?? true
    return (takesRunner ? try runWithRunner(signals) : try runPreloaded(signals), takesRunner)
  }

  /// Whether its arguments make it run tests at all.
  var isAskedToRunTests: Bool {
    arguments.first != "list" && !arguments.contains(where: Self.others.contains)
  }

  /// What makes `swift test` tell something instead.
  private static let others: Set = [
    "-l", "--list-tests", "-h", "-help", "--help", "--help-hidden", "--version", "--show-codecov-path",
    "--show-code-coverage-path", "--show-coverage-path",
  ]

  private func runWithRunner(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    let toolset = "\(captures.path)/toolset.json"
    try OutputFile(toolset).write(Array(toolsetText.utf8))
    return try start(["--toolset", toolset], environment: Environment.variables, signals)
  }

  private func runPreloaded(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    printError("this SwiftPM knows no test runners (6.2 does): all that swift test starts is preloaded")
    return try start(
      [],
      environment: PreloadLibrary.environment(preloading: library, options: [options, captures.options()]),
      signals)
  }

  private func start(
    _ more: [String], environment: [String], _ signals: BlockedSignals
  ) throws(ToolFailure) -> ChildProcess.Ending {
    let command = ["swift", "test"] + more + arguments
    return try ForegroundProgram(command: command, environment: environment).run(signals)
  }

  private var toolsetText: String {
    let arguments = TestRunnerCommand.arguments(library: library, captures: captures, options: options)
    let runner: JSONValue = .object([
      "path": .string(PreloadLibrary.tool ?? ""), "extraCLIOptions": .strings(arguments),
    ])
    return JSONValue.object(["schemaVersion": .string("1.0"), "testRunner": runner]).text
  }
}
