import ArgumentParser
import LiveObjectsReport

/// `liveobjects test [OWN OPTIONS] [ARGUMENTS OF swift test]`
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Runs `swift test` and reports what the tests left behind.",
    discussion: """
      The package is not changed, and `swift test` prints and does what it always does. The options below come \
      first; all arguments from the first other one on are those of `swift test`. After the tests comes one report \
      on all test processes. Without any output option, text goes to standard error.

        liveobjects test
        liveobjects test --json leaks.json --parallel --filter LoaderTests

      Exit status: 2 for usage errors; else that of `swift test` where it is not 0; else 3 where a test process \
      was not watched or leaks could not be evaluated, which a line explains; else 1 where findings fail (--fail-on); else 0.
      """)

  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Settings for the test processes, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Option(help: ArgumentHelp("The package's folder, for `swift test` as well.", valueName: "folder"))
  var packagePath: String?

  @Argument(
    parsing: .captureForPassthrough, help: ArgumentHelp("Arguments of `swift test`.", valueName: "arguments"))
  var arguments: [String] = []

  func run() throws {
    // After the first argument of `swift test` it would request the help of that command.
    if ["-h", "-help", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
    try LibraryOptions.check(options, under: "test")
    let library = try PreloadLibrary.find()
    let outputs = try output.open(defaultText: .error)
    Companions.warnAboutMissing(beside: library)
    let signals = BlockedSignals()
    defer { signals.restore() }
    do {
      throw ExitCode(try runTests(preloading: library, signals, reportTo: outputs))
    } catch let failure as ToolFailure {
      outputs.discard()
      throw failure
    }
  }

  private func runTests(
    preloading library: String, _ signals: BlockedSignals, reportTo outputs: Outputs
  ) throws(ToolFailure) -> Int32 {
    let folder = try CaptureFolder()
    defer { folder.remove() }
    let settings = [options, "failon=\(output.failOn.rawValue)"].compactMap { $0 }.joined(separator: ":")
    let test = SwiftTest(
      arguments: swiftTestArguments, settings: TestRunSettings(library: library, options: settings),
      captures: folder)
    let (ending, notesRuns) = try test.run(signals)
    folder.lastProgramHasEnded(signals, for: outputs)
    var tests = WatchedTests(in: folder, notesRuns: notesRuns)
    if tests.isEmpty && (ending.shellStatus != 0 || !swiftTestArguments.runsTests) {
      warnAboutMisplacedOption()
      outputs.discard()
      return ending.shellStatus
    }
    if tests.isEmpty { tests.add(unwatched: test.reasonForNoRuns) }
    let status = try tests.report(to: outputs, failOn: output.failOn)
    return ending.shellStatus == 0 ? status : ending.shellStatus
  }

  /// `swift test` has refused it without knowing what it is.
  private func warnAboutMisplacedOption() {
    guard let option = arguments.misplacedOption else { return }
    printError("\(option) is an option of `liveobjects test`: it comes before those of `swift test`")
  }

  private var swiftTestArguments: [String] {
    let rest = arguments.first == "--" ? arguments.dropFirst() : arguments[...]
    return (packagePath.map { ["--package-path", $0] } ?? []) + rest
  }
}
