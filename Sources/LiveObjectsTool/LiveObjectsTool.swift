import ArgumentParser
import LiveObjectsReport
import LiveObjectsSymbolication
import LiveObjectsSystem

@main
struct LiveObjectsTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "liveobjects",
    abstract:
      "Reports which Swift objects a program left behind, what holds them, and where they were allocated.",
    discussion: """
      Exit status: 2 for usage errors and unreadable or unwritable files; else the program's own \
      status where it is not 0 (128 + n for signal n); else 2 where a report could not be written, on a full disk for \
      instance; else 3 where nothing could be watched or leaks could not be evaluated; else 1 \
      where findings fail (--fail-on); else 0.

      On a terminal, text has colours unless the environment has NO_COLOR.
      """,
    version: Report.Run.toolVersion,
    subcommands: [
      RunCommand.self, TestCommand.self, BaselineCommand.self, VerifyCommand.self, ReportCommand.self,
      DiffCommand.self, SnapshotCommand.self, MemoryCommand.self, TopCommand.self, TimelineCommand.self,
    ])

  static func main() {
    // Swift reads them from there. Without this, help would stand in the place of a report.
    guard !CommandLine.arguments.isEmpty else {
      printError("the arguments cannot be read, since /proc is not mounted")
      exit(withError: ExitCode(ExitStatus.usage))
    }
    do {
      if arguments.first == TestRunnerCommand.name { try TestRunnerCommand.run(Array(arguments.dropFirst())) }
      Demangling.isolate()
      var command = try parseAsRoot(OwnOptions.arranged(arguments))
      try command.run()
    } catch let failure as ToolFailure {
      printError(failure.description)
      exit(withError: ExitCode(ExitStatus.usage))
    } catch let status as ExitCode {
      // Also where it happens to be the parser's own.
      exit(withError: status)
    } catch {
      // The parser's own status for wrong arguments is another one than promised.
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      StandardStream.error.write(usageMessage(for: error) + "\n")
      exit(withError: ExitCode(ExitStatus.usage))
    }
  }

  /// The arguments without the tool's own name. Those of a program are passed on, so bytes that are no UTF-8 are kept.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { String(rawCString: $0) }
    }
  }

  /// The parser's message about wrong arguments. It repeats them, so it gets them in a form without control
  /// characters and line ends: names of files are arguments, and may contain anything.
  private static func usageMessage(for error: any Error) -> String {
    do {
      _ = try parseAsRoot(CommandLine.arguments.dropFirst().map(\.printable))
      let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
      return lines.map { String($0).printable }.joined(separator: "\n")
    } catch {
      return fullMessage(for: error)
    }
  }
}

/// The exit statuses of this tool's own.
enum ExitStatus {
  static let usage: Int32 = 2

  /// The status for a report, if the program has succeeded.
  static func status(for report: Report) -> Int32 { report.status }
}

extension ChildProcess.Ending {
  /// The status as a shell reports it.
  var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    case .unknown: 0
    }
  }

  /// Whether a signal that requests the end has ended the program, or a shell that it ran in.
  var isRequested: Bool { BlockedSignals.requests.contains(shellStatus - 128) }
}

/// A failure of the tool, as one human-readable sentence.
struct ToolFailure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// Prints one line on standard error, marked as this tool's. It stays one line without control characters:
/// much of it comes from programs and from captures.
func printError(_ line: String) {
  StandardStream.error.write("liveobjects: \(line.printable)\n")
}

/// The options of `test`, `baseline` and `verify`, which may stand among those of `swift test`.
enum OwnOptions {
  private static let flags: Set = ["--prune-baseline", "--verbose", "--explain-retains", "--bisect"]
  private static let ofTest: Set =
    Set(ReportFormat.allCases.map { "--\($0)" }).union([
      "--capture", "--fail-on", "--options", "--baseline", "--write-baseline", "--suppressions",
      "--package-path", "--list", "--annotations",
    ])
  /// The options with values, by command.
  private static let withValues = [
    "test": ofTest, "baseline": ofTest,
    "verify": ["--report", "--baseline-line", "--runs", "--options", "--package-path"],
  ]

  /// Options of `swift test` whose values are other programs' options.
  private static let passing: Set = [
    "-Xcc", "-Xswiftc", "-Xlinker", "-Xcxx", "-Xxcbuild", "-Xbuild-tools-swiftc", "-Xmanifest",
  ]

  /// The arguments of this tool, with the own options of a command directly after it, each with its value. What follows
  /// `--` stays there.
  static func arranged(_ arguments: [String]) -> [String] {
    guard let command = arguments.first, let withValues = withValues[command] else { return arguments }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return [command] + first(in: arguments[1..<end], withValues) + Array(arguments[end...])
  }

  private static func first(in arguments: ArraySlice<String>, _ withValues: Set<String>) -> [String] {
    var (own, others): ([String], [String]) = ([], [])
    var rest = arguments
    while let argument = rest.popFirst() {
      let isOwn = flags.contains(argument) || withValues.contains(String(argument.prefix { $0 != "=" }))
      let takesNext = withValues.contains(argument) || passing.contains(argument)
      let words = [argument] + (takesNext ? [rest.popFirst()].compactMap { $0 } : [])
      if isOwn { own += words } else { others += words }
    }
    return own + others
  }
}
