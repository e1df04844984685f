import ArgumentParser
import LiveObjectsReport

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
    var report = try inputs.report(output)
    let outputs = try output.open(defaultText: .output)
    let isApplied = accepted.apply(to: &report, ranAllTests: false)
    if sinceLast { report.tracking.restriction = .sinceLastSnapshot }
    inputs.restrict(&report, to: filters.filter)
    let status = inputs.write(report, to: outputs)
    throw ExitCode(isApplied ? status : ExitStatus.usage)
  }
}
