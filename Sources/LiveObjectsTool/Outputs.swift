import ArgumentParser
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSystem

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

  /// The file of each format that was asked for.
  private var files: [(format: ReportFormat, path: String)] {
    ReportFormat.allCases.compactMap { format in path(of: format).map { (format, $0) } }
  }

  private func path(of format: ReportFormat) -> String? {
    switch format {
    case .text: text
    case .json: json
    }
  }

  /// The report on captures, with the command that made it.
  ///
  /// - Parameters:
  ///   - options: the settings of the watched processes.
  ///   - folder: the folder of the sources.
  func report(of builder: ReportBuilder, options: String? = nil, in folder: String = ".") -> Report {
    self.report(builder.report, options: options, in: folder)
  }

  /// A report with the command that made it.
  func report(_ report: Report, options: String? = nil, in folder: String = ".") -> Report {
    var report = report
    report.run.command = ["liveobjects"] + CommandLine.arguments.dropFirst()
    report.run.options = options ?? ""
    report.run.failOn = failOn
    report.run.folder = folder.resolvingLinks
    return report
  }

  /// Two outputs in one file would overwrite each other.
  func validate() throws {
    let paths = (files.map(\.path) + [capture].compactMap { $0 })
      .map { $0 == "-" ? $0 : "\($0.parentFolder.resolvingLinks ?? $0.parentFolder)/\($0.fileName)" }
    guard Set(paths).count == paths.count else {
      throw ValidationError("Each output needs a file of its own.")
    }
  }

  /// Opens all files, so that a wrong path shows before any work is done.
  ///
  /// - Parameter defaultText: the stream for text without any output option.
  func open(defaultText: StandardStream) throws(ToolFailure) -> Outputs {
    var outputs = Outputs()
    do {
      for (format, path) in files { outputs.reports.append((format, try OutputFile(path))) }
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

/// The open files that a report goes to.
struct Outputs {
  var reports: [(format: ReportFormat, file: OutputFile)] = []
  var capture: OutputFile?
  /// The stream for text without any output option; a report about an unwatched program does not go there.
  var fallback: OutputFile?

  var isEmpty: Bool { reports.isEmpty && capture == nil && fallback == nil }

  /// Prints why leaks could not be evaluated, if no text does.
  func warnAboutMissingEvaluation(_ report: Report) {
    if fallback == nil, let evaluationFailure = report.tracking.evaluationFailure {
      printError(evaluationFailure)
    }
  }

  /// Leaves no empty files behind where there is no report.
  func discard() {
    for output in reports.map(\.file) + [capture].compactMap({ $0 }) { output.discard() }
  }

  /// Writes a report and its captures to all files.
  func write(_ report: Report, captures: some Sequence<[UInt8]>) throws(ToolFailure) {
    for (format, file) in reports { try file.write(format.bytes(of: report, color: file.wantsColor)) }
    if let fallback, report.tracking.wasWatched {
      try fallback.write(ReportFormat.text.bytes(of: report, color: fallback.wantsColor))
    }
    guard let capture else { return }
    for bytes in captures { try capture.write(bytes) }
  }
}

/// A file that is open for writing, or a standard stream.
final class OutputFile: Sendable {
  private let name: String
  private let descriptor: CInt
  /// Whether the file was created here.
  private let isNew: Bool

  /// - Parameter path: `-` is standard output.
  init(_ path: String) throws(ToolFailure) {
    name = path
    if path == "-" {
      descriptor = StandardStream.output.rawValue
      isNew = false
      return
    }
    let created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = created >= 0
    descriptor = isNew ? created : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  /// - Returns: `nil` if there is such a file already.
  init?(new path: String) throws(ToolFailure) {
    name = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = true
    if descriptor < 0 && errno == EEXIST { return nil }
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  init(_ stream: StandardStream) {
    name = "\(stream)"
    descriptor = stream.rawValue
    isNew = false
  }

  deinit {
    if descriptor > StandardStream.error.rawValue { close(descriptor) }
  }

  /// Whether it is a terminal, without a request for plain text (https://no-color.org).
  var wantsColor: Bool { isatty(descriptor) == 1 && (Environment["NO_COLOR"] ?? "").isEmpty }

  func write(_ bytes: [UInt8]) throws(ToolFailure) {
    guard writeAll(bytes, to: descriptor) else { throw Self.failure(name) }
  }

  /// Removes the file if it was created here, because there will be no output.
  func discard() {
    if isNew { unlink(name) }
  }

  private static func failure(_ name: String) -> ToolFailure {
    ToolFailure("cannot write \(name): \(SystemError(code: errno))")
  }
}

/// Standard output or standard error.
enum StandardStream: CInt {
  case output = 1
  case error = 2

  /// Writes without buffering. Errors are ignored: there is no other stream to report them on.
  func write(_ text: String) {
    _ = writeAll(Array(text.utf8), to: rawValue)
  }
}

/// One line on a terminal's standard error that is written again and again, and erased at the end.
final class ProgressLine {
  private static let erasing = "\r\u{1B}[K"

  private let isWanted = OutputFile(.error).wantsColor && Environment["TERM"] != "dumb"
  private var isShown = false
  /// The time of the next output; short work has none.
  private var next = ContinuousClock.now + .milliseconds(200)

  func show(_ text: String) {
    guard isWanted, ContinuousClock.now >= next else { return }
    StandardStream.error.write("\(Self.erasing)liveobjects: \(text)")
    isShown = true
    next = .now + .milliseconds(100)
  }

  func erase() {
    if isShown { StandardStream.error.write(Self.erasing) }
    isShown = false
  }
}
