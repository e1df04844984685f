import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport

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
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

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
    let accepted = try acceptance.open(in: PackageFolder.containing(packagePath ?? "."), options: options)
    let library = try PreloadLibrary.find()
    let outputs = try output.open(defaultText: .error)
    let signals = BlockedSignals()
    defer { signals.restore() }
    do {
      throw ExitCode(try runTests(preloading: library, accepted, signals, reportTo: outputs))
    } catch let failure as ToolFailure {
      outputs.discard()
      throw failure
    }
  }

  private func runTests(
    preloading library: String, _ accepted: AcceptanceFiles, _ signals: BlockedSignals,
    reportTo outputs: Outputs
  ) throws(ToolFailure) -> Int32 {
    let folder = try CaptureFolder()
    defer { folder.remove() }
    let settings = [options, "failon=\(output.failOn.rawValue)", try accepted.copy(to: folder)]
      .compactMap { $0 }.joined(separator: ":")
    let test = SwiftTest(
      arguments: swiftTestArguments, settings: TestRunSettings(library: library, options: settings),
      captures: folder)
    let (ending, notesRuns) = try test.run(signals)
    folder.prepareToRead(signals, for: outputs)
    var tests = WatchedTests(in: folder, notesRuns: notesRuns)
    if tests.isEmpty && (ending.shellStatus != 0 || !swiftTestArguments.runsTests) {
      outputs.discard()
      return ending.shellStatus
    }
    if tests.isEmpty { tests.add(unwatched: test.reasonForNoRuns) }
    var report = output.report(of: tests.builder, options: options, in: packagePath ?? ".")
    try accepted.apply(to: &report, ranAllTests: swiftTestArguments.runsAllTests)
    let status = try tests.write(report, to: outputs)
    return ending.shellStatus == 0 ? status : ending.shellStatus
  }

  private var swiftTestArguments: [String] {
    let rest = arguments.first == "--" ? arguments.dropFirst() : arguments[...]
    return (packagePath.map { ["--package-path", $0] } ?? []) + rest
  }
}

/// The captures of the test processes of `swift test`.
struct WatchedTests {
  private var collected: CollectedCaptures
  var builder: ReportBuilder { collected.builder }
  /// Whether no test process was started through the tool.
  let isEmpty: Bool
  /// The processes whose objects are unknown, a sentence each.
  private var unwatched: [String] = []

  /// Reads and analyses all captures.
  ///
  /// - Parameter notesRuns: whether every run was noted before it started. If not, programs that the build
  ///   started were watched as well; they do not count.
  init(in folder: CaptureFolder, notesRuns: Bool) {
    let runs = TestRun.all(in: folder)
    let names = Dictionary(uniqueKeysWithValues: runs.map { ($0.capture, $0.description) })
    let line = ProgressLine()
    defer { line.erase() }
    collected = CollectedCaptures(
      in: folder, processes: names, isIncluded: { notesRuns || $0.process.isTestBinary },
      progress: { line.show("reading \($0) of \($1) captures") })
    isEmpty = runs.isEmpty && collected.files.isEmpty
    for run in runs where collected.outcomes[run.capture] == nil {
      add(unwatched: "\(run): \(UnwatchedReason(ofSilent: run.program, .exited(0), lost: []))")
    }
    for file in notesRuns ? runs.map(\.capture) : collected.files { checkCapture(file) }
  }

  private mutating func checkCapture(_ file: String) {
    guard let outcome = collected.outcomes[file] else { return }
    if let lost = outcome.lost { unwatched.append(lost) }
    unwatched += outcome.captures.compactMap { $0.untimelyEnd(of: collected.name(of: file)) }
    let isWatched = outcome.captures.contains { $0.tracking.state == .tracking }
    guard !isWatched, let reason = UnwatchedReason(of: outcome.captures) else { return }
    unwatched.append("\(collected.name(of: file)): \(reason)")
  }

  /// Counts a run of which there is no file.
  mutating func add(unwatched sentence: String) {
    unwatched.append(sentence)
    collected.add(lost: sentence)
  }

  /// Writes the report.
  ///
  /// - Returns: the exit status where `swift test` succeeded.
  func write(_ report: Report, to outputs: Outputs) throws(ToolFailure) -> Int32 {
    collected.warnAboutLeakSanitizer()
    outputs.warnAboutMissingEvaluation(report)
    try outputs.write(report, captures: collected.streams)
    warnAboutUnwatchedProcesses(report)
    outputs.summarize(report)
    return unwatched.isEmpty ? ExitStatus.status(for: report) : Report.statusOfNothingWatched
  }

  private func warnAboutUnwatchedProcesses(_ report: Report) {
    guard let first = unwatched.first else { return }
    let others = unwatched.count > 1 ? " (and \(unwatched.count - 1) more)" : ""
    printError((report.tracking.wasWatched ? "not watched: " : "nothing was watched: ") + first + others)
  }
}

extension ProcessDescription {
  /// Whether the name is that of a test binary from either build system of SwiftPM.
  fileprivate var isTestBinary: Bool { name.hasSuffix(".xctest") || name.hasSuffix("-test-runner") }
}
