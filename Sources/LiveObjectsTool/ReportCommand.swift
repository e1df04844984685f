import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport

/// `liveobjects report CAPTURE…`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Reports what captures contain.",
    discussion: """
      Several captures are merged into one report. Without any output option, text goes to standard \
      output. Where a capture cannot be read, the report is on all others, and the status is 2.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @Option(
    help: ArgumentHelp(
      "Search this folder for the program and its libraries first, by build id or name.", valueName: "folder")
  )
  var binaries: String?

  /// Set by the preload library, for the capture of its own process.
  @Flag(help: .hidden) var ownRun = false

  @Argument(help: ArgumentHelp("Captures; - is standard input.", valueName: "capture"))
  var captures: [String]

  func run() throws {
    if let binaries { try InputFile.checkFolder(binaries) }
    let accepted = try acceptance.open(in: ownRun ? nil : PackageFolder.containing("."))
    var streams: [[UInt8]] = []
    var builder = ReportBuilder(binaries: binaries, origin: ownRun ? .ownRun : .unknown)
    var failures: [String] = []
    for path in captures {
      let (readable, bytes) = try InputFile.captures(in: path, isKept: output.capture != nil)
      for capture in readable.captures { builder.add(capture) }
      if let failure = readable.failure { failures.append("\(path): \(failure)") }
      if output.capture != nil { streams.append(bytes) }
    }
    if builder.captures.isEmpty { throw ToolFailure(failures[0]) }
    for failure in failures { builder.add(lost: failure) }
    let outputs = try output.open(defaultText: .output)
    var report = output.report(of: builder)
    let reason = report.tracking.wasWatched ? nil : UnwatchedReason(of: builder.captures)
    if let reason { report.tracking.add(reason) }
    try accepted.apply(to: &report, ranAllTests: false)
    outputs.warnAboutMissingEvaluation(report)
    try outputs.write(report, captures: streams)
    if !report.tracking.wasWatched {
      printError("nothing was watched: \(reason?.description ?? "no reason given")")
    }
    for failure in failures { printError(failure) }
    if !failures.isEmpty { throw ExitCode(ExitStatus.usage) }
    throw ExitCode(ExitStatus.status(for: report))
  }
}
