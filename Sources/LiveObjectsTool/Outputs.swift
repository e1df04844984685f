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

  @Option(help: ArgumentHelp("Write the report as a page for a browser.", valueName: "file"))
  var html: String?

  @Option(help: ArgumentHelp("Write a summary for a CI job, in Markdown.", valueName: "file"))
  var markdown: String?

  @Option(help: ArgumentHelp("Write the paths of the leaks for Graphviz.", valueName: "file"))
  var dot: String?

  @Option(
    help: ArgumentHelp(
      "Print findings on standard output in the form that shows them next to the source (github).",
      valueName: "service"))
  var annotations: AnnotationService?

  @Option(help: ArgumentHelp("Write the tests with their leaks as JUnit XML.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("Write the causes as SARIF 2.1.0, for code scanning.", valueName: "file"))
  var sarif: String?

  @Option(help: ArgumentHelp("Write live objects as collapsed stacks, for flame graphs.", valueName: "file"))
  var folded: String?

  @Option(help: ArgumentHelp("Write live objects and bytes for speedscope.", valueName: "file"))
  var speedscope: String?

  @Option(help: ArgumentHelp("Write live objects and bytes for pprof.", valueName: "file"))
  var pprof: String?

  @Option(help: ArgumentHelp("Write the raw capture, for `liveobjects report`.", valueName: "file"))
  var capture: String?

  @Option(
    help: ArgumentHelp(
      """
      Which findings make the exit status 1: leaks are unreachable objects, undecided adds objects that are a leak or \
      in use, held adds reachable objects with a known holder, growth adds all others that are still allocated.
      """, valueName: "findings"))
  var failOn: FailOn = .leaks

  @Option(
    help: ArgumentHelp(
      "List a part of the text that is one line otherwise: held, growth, known, library, tests, types or notes. May be repeated.",
      valueName: "part"))
  var list: [TextRenderer.Part] = []

  @Flag(help: "List all parts of the text.")
  var verbose = false

  /// The file of each format that was asked for.
  private var files: [(format: ReportFormat, path: String)] {
    ReportFormat.allCases.compactMap { format in path(of: format).map { (format, $0) } }
  }

  private func path(of format: ReportFormat) -> String? {
    switch format {
    case .text: text
    case .json: json
    case .html: html
    case .markdown: markdown
    case .dot: dot
    case .junit: junit
    case .sarif: sarif
    case .folded: folded
    case .speedscope: speedscope
    case .pprof: pprof
    }
  }

  /// The report on captures, with the command that made it.
  ///
  /// - Parameters:
  ///   - options: the settings of the watched processes.
  ///   - folder: the folder of the sources.
  func report(of builder: ReportBuilder, options: String? = nil, in folder: String = ".") -> Report {
    // Text does not show the places of tests, and to find them takes time.
    self.report(
      builder.report(locatingTests: files.contains { $0.format != .text }), options: options, in: folder)
  }

  /// A report with the command that made it.
  func report(_ report: Report, options: String? = nil, in folder: String = ".") -> Report {
    var report = report
    report.run.command = ["liveobjects"] + CommandLine.arguments.dropFirst()
    report.run.toolchain = SwiftPackageManager.versionInPath?.map(String.init).joined(separator: ".")
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
    if annotations != nil && paths.contains("-") {
      throw ValidationError("Annotations go to standard output: a report needs a file.")
    }
  }

  /// Opens all files, so that a wrong path shows before any work is done.
  ///
  /// - Parameter defaultText: the stream for text without any output option.
  func open(defaultText: StandardStream) throws(ToolFailure) -> Outputs {
    var outputs = Outputs(listing: verbose ? Set(TextRenderer.Part.allCases) : Set(list))
    outputs.annotations = annotations
    for (format, path) in files { outputs.reports.append((format, try OutputFile(path))) }
    if let capture { outputs.capture = try OutputFile(capture) }
    if outputs.isEmpty { outputs.fallback = OutputFile(defaultText) }
    return outputs
  }
}

extension FailOn: ExpressibleByArgument {}
extension TextRenderer.Part: ExpressibleByArgument {}

/// A service that shows findings next to the source.
enum AnnotationService: String, ExpressibleByArgument, CaseIterable {
  case github
}

/// The open files that a report goes to.
struct Outputs {
  /// The parts of the text that are listed.
  let listing: Set<TextRenderer.Part>
  var reports: [(format: ReportFormat, file: OutputFile)] = []
  var capture: OutputFile?
  var annotations: AnnotationService?
  /// The stream for text without any output option; a report about an unwatched program does not go there.
  var fallback: OutputFile?

  var isEmpty: Bool { reports.isEmpty && capture == nil && fallback == nil }

  private func renderer(for file: OutputFile) -> TextRenderer {
    let width = file.columns.map { min(max($0, 60), 200) } ?? TextRenderer.standardWidth
    return TextRenderer(color: file.wantsColor, listing: listing, width: width)
  }

  /// Prints why leaks could not be evaluated, if no text does.
  func warnAboutMissingEvaluation(_ report: Report) {
    if fallback == nil, let evaluationFailure = report.tracking.evaluationFailure {
      printError(evaluationFailure)
    }
  }

  /// Prints the answer and the names of the causes that fail, if the whole report goes to files: a log would show
  /// tests that passed, and a status that is not 0.
  func summarize(_ report: Report) {
    guard fallback == nil, report.tracking.wasWatched else { return }
    let renderer = renderer(for: OutputFile(.error))
    StandardStream.error.write(renderer.summary(of: report))
  }

  /// Leaves nothing unfinished behind.
  func discard() {
    for output in reports.map(\.file) + [capture].compactMap({ $0 }) { output.discard() }
  }

  /// Writes a report and its captures to all files. What a file cannot take, on a full disk for instance, is not lost:
  /// the report goes to standard error then.
  ///
  /// - Returns: whether all was written; else the failures have been printed.
  func write(_ report: Report, captures: some Sequence<[UInt8]>) -> Bool {
    var (isComplete, hasLostFile) = (true, false)
    func attempt(_ file: OutputFile, _ write: (OutputFile) throws(ToolFailure) -> Void) {
      do {
        try write(file)
      } catch {
        printError(error.description)
        (isComplete, hasLostFile) = (false, hasLostFile || !file.isStream)
      }
    }
    for (format, file) in reports {
      attempt(file) { (file) throws(ToolFailure) in try self.write(report, as: format, to: file) }
    }
    if let capture {
      attempt(capture) { (file) throws(ToolFailure) in try file.write(parts: captures) }
    }
    if report.tracking.wasWatched, let terminal = fallback ?? (hasLostFile ? OutputFile(.error) : nil) {
      attempt(terminal) { (file) throws(ToolFailure) in try self.write(report, as: .text, to: file) }
    }
    if annotations == .github {
      let text = GitHubAnnotations.text(of: report, in: Environment["GITHUB_WORKSPACE"]?.resolvingLinks)
      attempt(OutputFile(.output)) { (file) throws(ToolFailure) in try file.write(Array(text.utf8)) }
    }
    return isComplete
  }

  private func write(_ report: Report, as format: ReportFormat, to file: OutputFile) throws(ToolFailure) {
    try file.write(format.bytes(of: report, text: renderer(for: file)))
  }
}
