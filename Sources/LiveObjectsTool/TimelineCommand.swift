import ArgumentParser
import LiveObjectsCapture
import LiveObjectsServices

/// `liveobjects timeline FILE…`
struct TimelineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Shows which types of a program grow over time.",
    discussion: """
      The program ran, or runs, with the preload library and with every=10s or another interval in \
      LIVEOBJECTS_OPTIONS. Give the file before (FILE.1) first if there is one.

      Without any output option, text goes to standard output.

      Exit status: 0; 1 with --fail-on-growth if a type grows; 2 for usage errors and unreadable files.
      """)

  @Option(help: ArgumentHelp("Write text; - is standard output.", valueName: "file"))
  var text: String?

  @Option(help: ArgumentHelp("Write a page with charts for a browser.", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "Write all numbers as comma-separated values, with milliseconds since 1970.", valueName: "file"))
  var csv: String?

  @Flag(help: "List types that do not grow as well.")
  var all = false

  @Flag(help: "Make the exit status 1 if a type grows.")
  var failOnGrowth = false

  @Argument(help: ArgumentHelp("The files of a timeline, the oldest first.", valueName: "file"))
  var files: [String]

  func run() throws {
    let outputs = try (
      text: open(text ?? (html == nil && csv == nil ? "-" : nil)), html: open(html), csv: open(csv)
    )
    let timeline = try self.timeline()
    let summary = TimelineSummary(timeline)
    try outputs.text?.write(text(of: summary, color: outputs.text?.wantsColor == true))
    try outputs.html?.write(Array(TimelinePage.render(summary).utf8))
    try outputs.csv?.write(Array(TimelineCSV.render(timeline).utf8))
    if failOnGrowth && summary.hasGrowth { throw ExitCode(1) }
  }

  private func timeline() throws -> Timeline {
    if let timeline = try Timeline(files.flatMap(captures)) { return timeline }
    throw ToolFailure("\(files[0]) has no counts: programs write them with every=10s in LIVEOBJECTS_OPTIONS")
  }

  private func text(of summary: TimelineSummary, color: Bool) -> [UInt8] {
    Array(TimelineText.render(summary, listsAll: all, color: color).utf8)
  }

  private func open(_ path: String?) throws(ToolFailure) -> OutputFile? {
    guard let path else { return nil }
    return try OutputFile(path)
  }

  /// The last entry may be incomplete: a program writes it, or was killed.
  private func captures(of path: String) throws(ToolFailure) -> [Capture] {
    guard case .captures(let readable, _) = try InputFile.content(of: path, isKept: false) else {
      throw ToolFailure("\(path) is a report, not a timeline")
    }
    if let failure = readable.failure, failure.reason != .cutOff || readable.captures.isEmpty {
      throw ToolFailure("\(path): \(failure)")
    }
    return readable.captures
  }
}
