import ArgumentParser
import LiveObjectsReport
import LiveObjectsSystem

/// `liveobjects test [OWN OPTIONS] [ARGUMENTS OF swift test]`
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs `swift test` and reports what the tests left behind.",
    discussion: """
      The package is not changed, and `swift test` prints and does what it always does. All arguments but the \
      options below, and all after --, are those of `swift test`. After the tests comes one report on all test \
      processes. Without any output option, text goes to standard error.

        liveobjects test
        liveobjects test --json leaks.json --parallel --filter LoaderTests

      Exit status: 2 for usage errors; else that of `swift test` where it is not 0; else 3 where a test process \
      was not watched or leaks could not be evaluated, which a line explains; else 1 where findings fail (--fail-on); else 0.

      With --explain-retains, report and status are those of the second run.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @Option(
    help: ArgumentHelp(
      "Settings for the test processes, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Flag(
    help:
      "Run the tests that leave objects behind a second time, to record the calls that retain objects of the leaked types."
  )
  var explainRetains = false

  @Option(help: ArgumentHelp("The package's folder, for `swift test` as well.", valueName: "folder"))
  var packagePath: String?

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("Arguments of `swift test`.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    // After the first argument of `swift test` it would request the help of that command.
    if ["-h", "-help", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    try LibraryOptions.check(options, under: "test")
    let accepted = try acceptance.open(in: PackageFolder.containing(packagePath ?? "."), options: options)
    let library = try PreloadLibrary.find()
    let outputs = try output.open(defaultText: .error)
    let signals = BlockedSignals()
    defer { signals.restore() }
    throw ExitCode(try runTests(preloading: library, accepted, signals, reportTo: outputs))
  }

  private func runTests(
    preloading library: String, _ accepted: AcceptanceFiles, _ signals: BlockedSignals,
    reportTo outputs: Outputs
  ) throws(ToolFailure) -> Int32 {
    let arguments = SwiftTest.arguments(arguments, packagePath)
    var run = try WatchedTestRun(
      arguments, options, preloading: library, accepted, failOn: output.failOn,
      lastFor: explainRetains ? nil : outputs, signals)
    defer { run.folder.remove() }
    if explainRetains, !run.ending.isRequested, let second = secondRun(after: run, accepted) {
      run.folder.remove()
      printError("running again, to record the retains of \(second.types.patterns.joined(separator: ", "))")
      run = try WatchedTestRun(
        second.arguments, second.types.added(to: options), preloading: library, accepted,
        failOn: output.failOn, lastFor: outputs, signals)
    }
    return report(on: run, accepted, to: outputs)
  }

  /// - Returns: `nil` if there is nothing to explain.
  private func secondRun(after run: WatchedTestRun, _ accepted: AcceptanceFiles) -> ExplainingTestRun? {
    ExplainingTestRun(after: run.test.arguments, of: accepted.remaining(in: run.tests.builder.report()))
  }

  private func report(on run: WatchedTestRun, _ accepted: AcceptanceFiles, to outputs: Outputs) -> Int32 {
    var tests = run.tests
    let status = run.ending.shellStatus
    if tests.isEmpty && (status != 0 || !run.test.arguments.runsTests) { return status }
    if tests.isEmpty { tests.add(unwatched: run.test.reasonForNoRuns) }
    var report = output.report(of: tests.builder, options: options, in: packagePath ?? ".")
    let isApplied = accepted.apply(to: &report, ranAllTests: run.test.arguments.runsAllTests)
    let own = tests.write(report, to: outputs)
    return status != 0 ? status : isApplied ? own : ExitStatus.usage
  }
}

/// `liveobjects baseline [OPTIONS OF test] [ARGUMENTS OF swift test]`
struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Runs the tests and records their leaks as known, so that only new ones fail.",
    discussion: """
      Writes \(Baseline.defaultFile) in the package's folder, which `liveobjects test` reads, with a line for each \
      finding that would fail: look through it, and commit it. Tests that do not run keep their lines. Takes all \
      options of `liveobjects test` and of `swift test`.
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Options of `liveobjects test` and of `swift test`.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    if ["-h", "-help", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    var test = try TestCommand.parse(arguments)
    if test.acceptance.writeBaseline == nil {
      guard let folder = PackageFolder.containing(test.packagePath ?? ".") else {
        throw ToolFailure("there is no package here: no Package.swift in this folder and those above it")
      }
      test.acceptance.writeBaseline = "\(folder)/\(Baseline.defaultFile)"
    }
    try test.run()
  }
}
