import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSystem

/// `liveobjects run -- PROGRAM ARGUMENTS`
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a program and reports what it left behind.",
    discussion: """
      The program is not changed, and keeps its standard streams and its exit status. Programs that it \
      starts are watched as well. Without any output option, text goes to standard error.

      With --explain-retains a program that leaves objects behind runs again, from the start: the report is that \
      of the second run, and shows the calls that retained the leaked objects. Both runs write to the standard streams.
      """)

  @OptionGroup var output: OutputOptions

  @OptionGroup var acceptance: AcceptanceOptions

  @Option(
    help: ArgumentHelp(
      "Settings for the watched program, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Flag(help: "Run the program a second time, to record the calls that retain objects of the leaked types.")
  var explainRetains = false

  @Flag(help: "Count what the memory of the program is used for at its end.")
  var memory = false

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "program"))
  var command: [String]

  func run() throws {
    try LibraryOptions.check(options, under: "run")
    let accepted = try acceptance.open(in: PackageFolder.containing("."), options: options)
    let library = try PreloadLibrary.find()
    let outputs = try output.open(defaultText: .error)
    let signals = BlockedSignals()
    defer { signals.restore() }
    let run = try watch(preloading: library, accepted, signals, for: outputs)
    defer { run.folder.remove() }
    let status = report(on: run, accepted, to: outputs)
    throw ExitCode(run.ending.shellStatus == 0 ? status : run.ending.shellStatus)
  }

  /// Runs the program once, or twice where retains are to be explained and there is something to explain.
  private func watch(
    preloading library: String, _ accepted: AcceptanceFiles, _ signals: BlockedSignals, for outputs: Outputs
  ) throws(ToolFailure) -> WatchedRun {
    let first = try runProgram(
      preloading: library, options, accepted, lastFor: explainRetains ? nil : outputs, signals)
    guard explainRetains, !first.ending.isRequested,
      let types = RetainPatterns(of: accepted.remaining(in: first.collected.builder.report()))
    else {
      return first
    }
    first.folder.remove()
    printError("running again, to record the retains of \(types.patterns.joined(separator: ", "))")
    return try runProgram(
      preloading: library, types.added(to: options), accepted, lastFor: outputs, signals)
  }

  /// - Parameter outputs: `nil` if the program may run again.
  private func runProgram(
    preloading library: String, _ options: String?, _ accepted: AcceptanceFiles, lastFor outputs: Outputs?,
    _ signals: BlockedSignals
  ) throws(ToolFailure) -> WatchedRun {
    let folder = try CaptureFolder()
    do {
      let environment = PreloadLibrary.environment(
        preloading: library,
        options: [
          memory ? "memory=on" : nil, options,
          try accepted.watchedOptions(copyingTo: folder, failOn: output.failOn), folder.options(),
        ])
      let ending = try ForegroundProgram(command: command, environment: environment).run(signals)
      if let outputs { folder.prepareToRead(signals, for: outputs) }
      return WatchedRun(folder: folder, collected: CollectedCaptures(in: folder), ending: ending)
    } catch {
      folder.remove()
      throw error
    }
  }

  /// - Returns: the status for a program that succeeded.
  private func report(on run: WatchedRun, _ accepted: AcceptanceFiles, to outputs: Outputs) -> Int32 {
    var report = output.report(of: run.collected.builder, options: options)
    run.collected.warnAboutLeakSanitizer()
    if let reason = unwatchedReason(report, run) {
      printError("nothing was watched: \(reason)")
      report.tracking.add(reason)
    }
    outputs.warnAboutMissingEvaluation(report)
    // The package's baseline, taken by default, may be that of other programs.
    let isApplied = accepted.apply(to: &report, ranAllTests: acceptance.baseline != nil)
    guard outputs.write(report, captures: run.collected.streams) else { return ExitStatus.usage }
    outputs.summarize(report)
    return isApplied ? ExitStatus.status(for: report) : ExitStatus.usage
  }

  private func unwatchedReason(_ report: Report, _ run: WatchedRun) -> UnwatchedReason? {
    let captures = run.collected.builder.captures
    // The library has printed the reason if there is a runtime that it cannot watch.
    let isPrinted = captures.contains { $0.tracking.state == .blind }
    guard !report.tracking.wasWatched, !isPrinted else { return nil }
    return UnwatchedReason(of: captures)
      ?? UnwatchedReason(ofSilent: command[0], run.ending, lost: run.collected.builder.lost)
  }
}

/// The result of a program's run. The caller removes the folder.
private struct WatchedRun {
  var folder: CaptureFolder
  var collected: CollectedCaptures
  var ending: ChildProcess.Ending
}
