import ArgumentParser
import LiveObjectsReport

/// `liveobjects report CAPTURE…`, also `liveobjects merge`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Reports what captures contain, or merges reports.",
    discussion: """
      Several files are merged into one report: captures, and JSON reports of other runs, machines or CI shards. \
      What they have in common is there once, with the sum of the numbers. `liveobjects merge` is the same command.

      Without any output option, text goes to standard output. Where a file cannot be read, the report is on \
      all others, and the status is 2.
      """,
    aliases: ["merge"])

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @OptionGroup var filters: FilterOptions

  @Option(
    help: ArgumentHelp(
      "Search this folder for the program and its libraries first, by build id or name.", valueName: "folder")
  )
  var binaries: String?

  /// Set by the preload library, for the capture of its own process.
  @Flag(help: .hidden) var ownRun = false

  @Argument(help: ArgumentHelp("Captures and JSON reports; - is standard input.", valueName: "file"))
  var files: [String]

  func run() throws {
    if let binaries { try InputFile.checkFolder(binaries) }
    let accepted = try acceptance.open(in: ownRun ? nil : PackageFolder.containing("."))
    var inputs = ReportInputs(
      binaries: binaries, origin: ownRun ? .ownRun : .unknown, keepsCaptures: output.capture != nil)
    try inputs.add(files)
    throw try inputs.report(to: output, accepted) { $0.restrict(&$1, to: filters.filter) }
  }
}

/// `liveobjects diff A B`
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two captures or JSON reports: which findings are new, gone and grown.",
    discussion: """
      Findings are the same if fingerprint and test are. Text goes to standard output; every other format has the \
      new and grown findings of the second file.

      Exit status: 2 for usage errors; else 3 where leaks of the second file could not be evaluated; else 1 where new or \
      grown findings fail (--fail-on); else 0.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @Argument(help: ArgumentHelp("The earlier capture or JSON report.", valueName: "before"))
  var before: String

  @Argument(help: ArgumentHelp("The later capture or JSON report.", valueName: "after"))
  var after: String

  func run() throws {
    let accepted = try acceptance.open(in: PackageFolder.containing("."))
    var earlier = ReportInputs(keepsCaptures: false)
    try earlier.add([before])
    // What cannot be read of the first file would be new in the second one.
    if let failure = earlier.failures.first { throw ToolFailure(failure) }
    let first = try earlier.report(output)
    var later = ReportInputs(keepsCaptures: output.capture != nil)
    try later.add([after])
    throw try later.report(to: output, accepted) { $1.compare(with: first) }
  }
}

/// `liveobjects snapshot PID`
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Reports the live objects of a running program.",
    discussion: """
      The program runs with the preload library and with snapshots=on in LIVEOBJECTS_OPTIONS, and goes on. Only its \
      owner and root may ask.

      Without any output option, text goes to standard output.

      Exit status: as `liveobjects report`; 2 also if the program does not answer.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @OptionGroup var filters: FilterOptions

  @Flag(help: "Count as growth only what was allocated since the last snapshot of the program.")
  var sinceLast = false

  @Argument(help: ArgumentHelp("The id of the process.", valueName: "pid"))
  var process: Int32

  func run() throws {
    let accepted = try acceptance.open(in: PackageFolder.containing("."))
    let snapshot = try ReceivedSnapshot(of: WatchedProcess(id: process), sinceLast: sinceLast)
    var inputs = ReportInputs(keepsCaptures: output.capture != nil)
    try inputs.add([snapshot.path])
    throw try inputs.report(to: output, accepted) {
      if sinceLast { $1.tracking.restriction = .sinceLastSnapshot }
      $0.restrict(&$1, to: filters.filter)
    }
  }
}

extension ReportInputs {
  /// Reports on all that could be read.
  ///
  /// - Parameter finish: what the command does with the report, once it is known which findings are accepted.
  /// - Returns: the exit status.
  fileprivate mutating func report(
    to output: OutputOptions, _ accepted: AcceptanceFiles,
    finish: (inout ReportInputs, inout Report) -> Void
  ) throws(ToolFailure) -> ExitCode {
    var report = try report(output)
    let outputs = try output.open(defaultText: .output)
    if let reason = reasonIfUnwatched(report) { report.tracking.add(reason) }
    let isApplied = accepted.apply(to: &report, ranAllTests: false)
    finish(&self, &report)
    let status = write(report, to: outputs)
    return ExitCode(isApplied ? status : ExitStatus.usage)
  }
}
