import ArgumentParser
import LiveObjectsAnalysis
import LiveObjectsReport
import LiveObjectsSystem

/// The files that say which findings fail nothing.
struct AcceptanceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Report the findings of this file as known; they fail nothing. The default is \(Baseline.defaultFile) in the package's folder, where there is one.",
      valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Write a baseline of all findings that would fail; none of them fails this run.", valueName: "file"))
  var writeBaseline: String?

  @Flag(help: "Remove the entries of the baseline whose findings no longer occur.")
  var pruneBaseline = false

  @Option(
    help: ArgumentHelp(
      "Suppress the findings that match a line of this file: leak:PATTERN or test:PATTERN, as for LeakSanitizer.",
      valueName: "file"))
  var suppressions: String?

  func validate() throws {
    guard !(pruneBaseline && writeBaseline != nil) else {
      throw ValidationError("--write-baseline leaves nothing for --prune-baseline to remove.")
    }
  }

  /// Reads the files, so that a mistake in them shows before any work is done.
  ///
  /// - Parameters:
  ///   - folder: where the default baseline is; `nil` to use none.
  ///   - options: the value of `--options`, which may name files too.
  func open(in folder: String?, options: String? = nil) throws(ToolFailure) -> AcceptanceFiles {
    var files = AcceptanceFiles(writesBaseline: writeBaseline, prunes: pruneBaseline)
    files.suppressionsFile = suppressions ?? LibraryOptions.value(of: "suppressions", in: options)
    files.baselineFile =
      baseline ?? LibraryOptions.value(of: "baseline", in: options) ?? existingBaseline(in: folder)
    if pruneBaseline && files.baselineFile == nil {
      throw ToolFailure("there is no baseline to prune: no --baseline, and no \(Baseline.defaultFile)")
    }
    try files.read()
    try files.openOutput()
    return files
  }

  /// A baseline that is about to be written need not be there.
  private func existingBaseline(in folder: String?) -> String? {
    guard let writeBaseline else { return AcceptanceFiles.defaultBaseline(in: folder) }
    return writeBaseline.resolvingLinks == nil ? nil : writeBaseline
  }
}

/// A baseline and suppressions, read.
struct AcceptanceFiles {
  /// A suppression of all leaks.
  private static let everything = Array("\nleak:*\n".utf8)

  var writesBaseline: String?
  var prunes: Bool
  var baselineFile: String?
  var suppressionsFile: String?
  private var baselineBytes: [UInt8] = []
  private var suppressionsBytes: [UInt8] = []
  private var accepted = AcceptedFindings()
  /// The baseline that is written.
  private var output: OutputFile?

  init(writesBaseline: String? = nil, prunes: Bool = false) {
    (self.writesBaseline, self.prunes) = (writesBaseline, prunes)
  }

  /// The findings of the baseline in a package's folder, if there is one.
  static func knownFindings(in folder: String?) throws(ToolFailure) -> Baseline {
    var files = AcceptanceFiles()
    files.baselineFile = defaultBaseline(in: folder)
    try files.read()
    return files.accepted.baseline
  }

  fileprivate static func defaultBaseline(in folder: String?) -> String? {
    let file = folder.map { "\($0)/\(Baseline.defaultFile)" }
    return file?.resolvingLinks == nil ? nil : file
  }

  fileprivate mutating func read() throws(ToolFailure) {
    if let baselineFile {
      baselineBytes = try Self.bytes(of: baselineFile)
      accepted.baseline = try Self.parsing(baselineFile) { () throws(LineError) in
        try Baseline(parsing: baselineBytes)
      }
    }
    if let suppressionsFile {
      suppressionsBytes = try Self.bytes(of: suppressionsFile)
      accepted.suppressions = try Self.parsing(suppressionsFile) { () throws(LineError) in
        try Suppressions(parsing: suppressionsBytes)
      }
    }
  }

  /// A file that cannot be written must not show after the tests have run.
  fileprivate mutating func openOutput() throws(ToolFailure) {
    output = try (writesBaseline ?? (prunes ? baselineFile : nil)).map { (path) throws(ToolFailure) in
      try OutputFile(path)
    }
  }

  private static func bytes(of file: String) throws(ToolFailure) -> [UInt8] {
    var status = stat()
    if stat(file, &status) == 0, status.st_size > AcceptedFindings.mostBytes {
      throw ToolFailure("\(file) has more than \(AcceptedFindings.mostBytes >> 20) MB")
    }
    return try InputFile.bytes(of: file)
  }

  private static func parsing<Value>(
    _ file: String, _ parse: () throws(LineError) -> Value
  ) throws(ToolFailure) -> Value {
    do {
      return try parse()
    } catch {
      throw ToolFailure("\(file):\(error.line): expected \(error.expectation)")
    }
  }

  /// Copies the files for watched tests, which fail by themselves, and must not fail because of these findings.
  ///
  /// - Parameter failOn: with `none`, leaks are suppressed: tests must be evaluated at their ends all the same.
  /// - Returns: the options of the watched processes: which findings fail a test, and the copies.
  func watchedOptions(copyingTo folder: CaptureFolder, failOn: FailOn) throws(ToolFailure) -> String {
    let suppressesAll = writesBaseline != nil || failOn == .none
    let suppressions = suppressionsBytes + (suppressesAll ? Self.everything : [])
    let files = [("baseline", baselineBytes), ("suppressions", suppressions)].filter { !$0.1.isEmpty }
    for (name, bytes) in files { try OutputFile("\(folder.path)/\(name)").write(bytes) }
    let options = files.map { "\($0.0)='\(folder.path)/\($0.0)'" }
    return (["failon=\((failOn == .none ? .leaks : failOn).rawValue)"] + options).joined(separator: ":")
  }

  /// The findings of a report that the files do not accept.
  func remaining(in report: Report) -> [Finding] {
    var report = report
    _ = report.accept(accepted, ranAllTests: false)
    return report.findings.filter { $0.acceptance == nil }
  }

  /// Accepts findings of a report, and writes the baseline where that was asked for.
  ///
  /// - Parameter ranAllTests: whether no test was left out by an option.
  /// - Returns: whether it was written, where it was to be; else the failure has been printed.
  func apply(to report: inout Report, ranAllTests: Bool) -> Bool {
    var accepted = accepted
    let stale = report.accept(accepted, ranAllTests: ranAllTests)
    report.accepted.baselineFile = writesBaseline ?? baselineFile
    report.accepted.suppressionsFile = suppressionsFile
    guard let output, writesBaseline != nil || !stale.isEmpty else { return true }
    accepted.baseline = accepted.baseline.removing(stale)
    if writesBaseline != nil {
      let failOn = report.run.failOn == FailOn.none ? .leaks : report.run.failOn ?? .leaks
      accepted.baseline = accepted.baseline.adding(Baseline(of: report, failOn: failOn))
    }
    do {
      try output.write(Array(accepted.baseline.text.utf8))
    } catch {
      printError(error.description)
      return false
    }
    guard writesBaseline != nil else {
      report.accepted.change = .pruned
      return true
    }
    report.accepted.change = .written(entries: accepted.baseline.entries.count)
    _ = report.accept(accepted, ranAllTests: ranAllTests)
    return true
  }
}

/// The findings that a report is restricted to.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Report only what tests left behind that match the pattern: * is any text, ^ the start, $ the end. May be given more than once.",
      valueName: "pattern"))
  var test: [String] = []

  @Option(
    help: ArgumentHelp("Report only findings with a matching type, also on their path.", valueName: "pattern")
  )
  var type: [String] = []

  @Option(help: "Report only findings with this verdict.")
  var verdict: [Finding.Verdict] = []

  var filter: ReportFilter { ReportFilter(tests: test, types: type, verdicts: verdict) }
}

extension Finding.Verdict: ExpressibleByArgument {}
