import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport

/// The outputs of a subcommand, and the findings that make it fail.
struct OutputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write the report as text; - is standard output.", valueName: "file"))
  var text: String?

  @Option(help: ArgumentHelp("Write the report as JSON; - is standard output.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Write the raw capture, for `liveobjects report`.", valueName: "file"))
  var capture: String?

  @Option(
    help: ArgumentHelp(
      """
      Which findings make the exit status 1: leaks are unreachable objects, held adds \
      reachable objects with a known holder, growth adds all others that are still allocated.
      """, valueName: "findings"))
  var failOn: FailOn = .leaks

  /// Two outputs in one file would overwrite each other.
  func validate() throws {
    let files = [text, json, capture].compactMap { $0 }
      .map { $0 == "-" ? $0 : "\($0.parentFolder.resolvingLinks ?? $0.parentFolder)/\($0.fileName)" }
    guard Set(files).count == files.count else {
      throw ValidationError("--text, --json and --capture need files of their own.")
    }
  }

  /// Opens all files, so that a wrong path shows before any work is done.
  ///
  /// - Parameter defaultText: the stream for text without any output option.
  func open(defaultText: StandardStream) throws(ToolFailure) -> Outputs {
    var outputs = Outputs()
    do {
      if let text { outputs.text = try OutputFile(text) }
      if let json { outputs.json = try OutputFile(json) }
      if let capture { outputs.capture = try OutputFile(capture) }
    } catch {
      outputs.discard()
      throw error
    }
    if outputs.isEmpty { outputs.fallback = OutputFile(defaultText) }
    return outputs
  }
}

extension FailOn: ExpressibleByArgument {}
