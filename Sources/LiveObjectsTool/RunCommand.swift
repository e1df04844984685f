import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport

/// `liveobjects run -- PROGRAM ARGUMENTS`
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a program and tells what it left behind.",
    discussion: """
      The program is not changed, and keeps its standard streams and its exit status. Programs that it \
      starts are watched as well. Without any output option, text goes to standard error.

      With --explain-retains a program that leaves something behind runs again, from the start: the report is that \
      of the second run, and names the calls that retained what leaked. Both runs write to the standard streams.
      """)

  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Settings for the watched program, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Flag(help: "Run the program a second time, to record who retains the objects of the types that leaked.")
  var explainRetains = false

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "program"))
  var command: [String]

  func run() throws {
    let library = try PreloadLibrary.find()
    let outputs = try output.open(defaultText: .error)
    if let overridden = OverriddenOptions(in: [Environment["LIVEOBJECTS_OPTIONS"], options]) {
      printError("\(overridden)")
    }
    let (collected, ending) = try watch(preloading: library, for: outputs)
    let status = report(on: collected, ending, to: outputs)
    throw ExitCode(ending.shellStatus == 0 ? status : ending.shellStatus)
  }

  private typealias WatchedRun = (collected: CollectedCaptures, ending: ChildProcess.Ending)

  /// Runs the program once, or twice where retains are to be explained and there is something to explain.
  private func watch(preloading library: String, for outputs: Outputs) throws(ToolFailure) -> WatchedRun {
    do {
      let first = try runProgram(preloading: library, options)
      guard explainRetains else { return first }
      let report = Report(of: first.collected.captures, lost: first.collected.lost)
      guard let types = RetainPatterns(of: report.findings) else { return first }
      printError("running again, to record the retains of \(types.patterns.joined(separator: ", "))")
      return try runProgram(
        preloading: library, [options, types.option].compactMap { $0 }.joined(separator: ":"))
    } catch {
      outputs.discard()
      throw error
    }
  }

  private func runProgram(preloading library: String, _ options: String?) throws(ToolFailure) -> WatchedRun {
    let folder = try CaptureFolder()
    defer { folder.remove() }
    let program = WatchedProgram(
      command: command, preloading: library, options: options, capturesTo: folder)
    let ending = try program.run()
    return (folder.read(), ending)
  }

  /// - Returns: the status for a program that succeeded.
  private func report(
    on collected: CollectedCaptures, _ ending: ChildProcess.Ending, to outputs: Outputs
  ) -> Int32 {
    var report = Report(of: collected.captures, lost: collected.lost)
    if let reason = unwatchedReason(report, collected, ending) {
      printError("nothing was watched: \(reason)")
      report.tracking.add(reason)
    }
    do {
      try outputs.write(report, captures: collected.streams)
    } catch {
      printError(error.description)
      return ExitStatus.usage
    }
    return ExitStatus.status(for: report, failOn: output.failOn)
  }

  private func unwatchedReason(
    _ report: Report, _ collected: CollectedCaptures, _ ending: ChildProcess.Ending
  ) -> UnwatchedReason? {
    // The library has said it already where it met a runtime that it could not watch.
    let isSaid = collected.captures.contains { $0.tracking.state == .blind }
    guard !report.tracking.wasWatched, !isSaid else { return nil }
    return UnwatchedReason(of: collected.captures)
      ?? UnwatchedReason(ofSilent: command[0], ending, lost: collected.lost)
  }
}

extension ChildProcess.Ending {
  /// The status as a shell tells it.
  fileprivate var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    case .unknown: 0
    }
  }
}
