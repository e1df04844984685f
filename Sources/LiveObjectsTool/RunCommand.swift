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
      """)

  @OptionGroup var output: OutputOptions

  @Option(
    help: ArgumentHelp(
      "Settings for the watched program, added to LIVEOBJECTS_OPTIONS.", valueName: "key=value:…"))
  var options: String?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after --.", valueName: "program"))
  var command: [String]

  func run() throws {
    let library = try PreloadLibrary.find()
    let folder = try CaptureFolder()
    defer { folder.remove() }
    let outputs = try output.open(defaultText: .error)
    if let overridden = OverriddenOptions(in: [Environment["LIVEOBJECTS_OPTIONS"], options]) {
      printError("\(overridden)")
    }
    let program = WatchedProgram(
      command: command, preloading: library, options: options, capturesTo: folder)
    let ending = try run(program, for: outputs)
    let status = report(on: folder.read(), ending, to: outputs)
    throw ExitCode(ending.shellStatus == 0 ? status : ending.shellStatus)
  }

  private func run(
    _ program: WatchedProgram, for outputs: Outputs
  ) throws(ToolFailure) -> ChildProcess.Ending {
    do {
      return try program.run()
    } catch {
      outputs.discard()
      throw error
    }
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
