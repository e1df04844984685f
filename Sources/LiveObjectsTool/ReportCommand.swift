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
    var report = try inputs.report(output)
    let outputs = try output.open(defaultText: .output)
    if let reason = inputs.reasonIfUnwatched(report) { report.tracking.add(reason) }
    let isApplied = accepted.apply(to: &report, ranAllTests: false)
    inputs.restrict(&report, to: filters.filter)
    let status = inputs.write(report, to: outputs)
    throw ExitCode(isApplied ? status : ExitStatus.usage)
  }
}
