import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication
import LiveObjectsSystem

/// A run of `swift test`, with the captures of its test processes. The caller removes the folder.
struct WatchedTestRun {
  let folder: CaptureFolder
  let test: SwiftTest
  let ending: ChildProcess.Ending
  let tests: WatchedTests

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - failOn: the findings that fail their tests.
  ///   - outputs: `nil` if the tests may run again.
  init(
    _ arguments: [String], _ options: String?, preloading library: String, _ accepted: AcceptanceFiles,
    failOn: FailOn, lastFor outputs: Outputs?, _ signals: BlockedSignals
  ) throws(ToolFailure) {
    folder = try CaptureFolder()
    do {
      let own = try accepted.watchedOptions(copyingTo: folder, failOn: failOn)
      let settings = (options.map { "\($0):" } ?? "") + own
      test = SwiftTest(
        arguments: arguments, settings: TestRunSettings(library: library, options: settings), captures: folder
      )
      let (ending, notesRuns) = try test.run(signals)
      self.ending = ending
      if let outputs { folder.prepareToRead(signals, for: outputs) }
      tests = WatchedTests(in: folder, notesRuns: notesRuns)
    } catch {
      folder.remove()
      throw error
    }
  }
}

/// The captures of the test processes of `swift test`.
struct WatchedTests {
  private var collected: CollectedCaptures
  var builder: ReportBuilder { collected.builder }
  /// Whether no test process was started through the tool.
  let isEmpty: Bool
  /// The processes whose objects are unknown, a sentence each.
  private var unwatched: [String] = []

  /// Reads and analyses all captures.
  ///
  /// - Parameter notesRuns: whether every run was noted before it started. If not, programs that the build
  ///   started were watched as well; they do not count.
  init(in folder: CaptureFolder, notesRuns: Bool) {
    let runs = TestRun.all(in: folder)
    let names = Dictionary(uniqueKeysWithValues: runs.map { ($0.capture, $0.description) })
    let line = ProgressLine()
    defer { line.erase() }
    collected = CollectedCaptures(
      in: folder, processes: names, isIncluded: { notesRuns || $0.process.isTestBinary },
      progress: { line.show("reading \($0) of \($1) captures") })
    isEmpty = runs.isEmpty && collected.files.isEmpty
    for run in runs where collected.outcomes[run.capture] == nil {
      add(unwatched: "\(run): \(UnwatchedReason(ofSilent: run.program, .exited(0), lost: []))")
    }
    for file in notesRuns ? runs.map(\.capture) : collected.files { checkCapture(file) }
  }

  private mutating func checkCapture(_ file: String) {
    guard let outcome = collected.outcomes[file] else { return }
    if let lost = outcome.lost { unwatched.append(lost) }
    let isWatched = outcome.captures.contains { $0.tracking.state == .tracking }
    guard !isWatched, let reason = UnwatchedReason(of: outcome.captures) else { return }
    unwatched.append("\(collected.name(of: file)): \(reason)")
  }

  /// Counts a run of which there is no file.
  mutating func add(unwatched sentence: String) {
    unwatched.append(sentence)
    collected.add(lost: sentence)
  }

  /// A report, with the processes whose objects are unknown.
  func completed(_ report: Report) -> Report {
    var report = report
    if report.tracking.wasWatched { report.tracking.unevaluated += unwatched }
    return report
  }

  /// Writes the report.
  ///
  /// - Returns: the exit status where `swift test` succeeded.
  func write(_ report: Report, to outputs: Outputs) -> Int32 {
    let report = completed(report)
    collected.warnAboutLeakSanitizer()
    outputs.warnAboutMissingEvaluation(report)
    let isWritten = outputs.write(report, captures: collected.streams)
    if !report.tracking.wasWatched { warnThatNothingWasWatched() }
    guard isWritten else { return ExitStatus.usage }
    outputs.summarize(report)
    return ExitStatus.status(for: report)
  }

  private func warnThatNothingWasWatched() {
    guard let first = unwatched.first else { return }
    let others = unwatched.count > 1 ? " (and \(unwatched.count - 1) more)" : ""
    printError("nothing was watched: \(first)\(others)")
  }
}

extension ProcessDescription {
  /// Whether the name is that of a test binary from either build system of SwiftPM.
  fileprivate var isTestBinary: Bool { name.hasSuffix(".xctest") || name.hasSuffix("-test-runner") }
}

/// The reason why nothing was watched, as one human-readable line.
struct UnwatchedReason: CustomStringConvertible {
  let description: String

  /// The reason that the recorder itself gave; `nil` without any capture.
  init?(of captures: [Capture]) {
    guard let capture = captures.first(where: { $0.tracking.state == .blind }) ?? captures.first
    else { return nil }
    let program = capture.process.executable
    switch capture.tracking.state {
    case .noRuntime: description = "\(program) contains no Swift runtime"
    case .blind, .ready, .tracking:
      description = capture.tracking.notes.first ?? "\(program) was not tracked"
    }
  }

  /// The reason why a program wrote no capture, from its file and its end.
  ///
  /// - Parameter lost: sentences about processes that were tracked and wrote no capture.
  init(ofSilent program: String, _ ending: ChildProcess.Ending, lost: [String]) {
    if lost.isEmpty, let reason = Self.reason(inFile: ProgramSearch.path(of: program)) {
      description = "\(program) \(reason)"
    } else if case .signaled(let signal) = ending {
      description = "\(program) was killed by signal \(signal) before it could report"
    } else {
      description =
        lost.first ?? "\(program) was not tracked: the preload library is not active in it"
    }
  }

  private static func reason(inFile path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return "cannot be read: \(SystemError(code: errno))" }
    if status.st_mode & (S_ISUID | S_ISGID) != 0 {
      return "is set-user-ID or set-group-ID: the system preloads nothing into such programs"
    }
    guard let file = ELFFile(path: path) else {
      return "is no Swift program, and nothing that it started is one"
    }
    if file.interpreter == nil {
      return "is linked statically, without a dynamic loader: nothing can be preloaded into it"
    }
    guard file.holdsSwift else { return "contains no Swift code" }
    let folder = (path.resolvingLinks ?? path).parentFolder
    let isShared = ["/usr/bin", "/usr/local/bin", "/bin"].contains(folder)
    return !isShared && access(folder + "/swift-frontend", F_OK) == 0 ? "belongs to the Swift toolchain" : nil
  }
}

extension Report.Tracking {
  /// Adds the reason to the notes of the report, unless it is there.
  mutating func add(_ reason: UnwatchedReason) {
    if !notes.contains(where: { $0.contains(reason.description) }) { notes.append(reason.description) }
  }
}
