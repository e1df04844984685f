import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport

/// `liveobjects report CAPTURE…`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Explains what captures hold.",
    discussion: """
      Several captures are merged into one report. Without any output option, text goes to standard \
      output. A capture that cannot be read ends the tool with status 2.
      """)

  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Look here for the program and its libraries first, by build id or name.", valueName: "folder"))
  var binaries: String?

  /// For the preload library, which hands over the capture of the program that it is in.
  @Flag(help: .hidden) var ownRun = false

  @Argument(help: ArgumentHelp("Captures; - is standard input.", valueName: "capture"))
  var captures: [String]

  func run() throws {
    if let binaries { try InputFile.checkFolder(binaries) }
    var streams: [[UInt8]] = []
    var builder = ReportBuilder(binaries: binaries, origin: ownRun ? .ownRun : .unknown)
    for path in captures {
      let bytes = try InputFile.bytes(of: path)
      for capture in try Self.decode(bytes, from: path) { builder.add(capture) }
      if output.capture != nil { streams.append(bytes) }
    }
    let outputs = try output.open(defaultText: .output)
    var report = builder.report
    let reason = report.tracking.wasWatched ? nil : UnwatchedReason(of: builder.captures)
    if let reason { report.tracking.add(reason) }
    outputs.sayWhatIsNotEvaluated(report)
    try outputs.write(report, failOn: output.failOn, captures: streams)
    if !report.tracking.wasWatched {
      printError("nothing was watched: \(reason?.description ?? "no reason given")")
    }
    throw ExitCode(ExitStatus.status(for: report, failOn: output.failOn))
  }

  private static func decode(_ bytes: [UInt8], from path: String) throws(ToolFailure) -> [Capture] {
    do {
      return try Capture.decodeAll(bytes)
    } catch {
      throw ToolFailure("\(path): \(error)")
    }
  }
}
