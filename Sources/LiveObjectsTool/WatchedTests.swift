import LiveObjectsCapture
import LiveObjectsReport

/// What the test processes of `swift test` left in the folder of captures.
struct WatchedTests {
  private let folder: CaptureFolder
  private var collected: CollectedCaptures
  private let runs: [TestRun]
  /// Runs that nobody knows anything of, a sentence each.
  private var unwatched: [String] = []

  /// Reads and judges all captures.
  ///
  /// - Parameter notesRuns: whether every run was noted before it started.
  /// - Throws: if this tool is asked to end meanwhile.
  init(in folder: CaptureFolder, notesRuns: Bool, _ signals: BlockedSignals) throws(ToolFailure) {
    self.folder = folder
    runs = TestRun.all(in: folder)
    let names = Dictionary(uniqueKeysWithValues: runs.map { ($0.capture, $0.description) })
    let line = ProgressLine()
    defer { line.erase() }
    collected = try CollectedCaptures(in: folder, processes: names) { done, all throws(ToolFailure) in
      if signals.areEndRequested { throw ToolFailure("interrupted") }
      line.show("reading \(done) of \(all) captures")
    }
    for run in runs { add(run) }
  }

  /// No test process was started, as far as is known.
  var areNone: Bool { runs.isEmpty && collected.outcomes.isEmpty }

  private mutating func add(_ run: TestRun) {
    switch collected.outcomes[run.capture] {
    case .lost(let reason):
      unwatched.append("\(run) \(reason)")
    case .read(let captures) where captures.contains { $0.tracking.state == .tracking }:
      break
    case .read(let captures):
      unwatched.append("\(run): \(UnwatchedReason(of: captures)?.description ?? "no reason given")")
    case nil:
      let reason = UnwatchedReason(ofSilent: run.program, .exited(0), lost: [])
      unwatched.append("\(run): \(reason)")
      collected.add(lost: "\(run): \(reason)")
    }
  }

  /// Writes the report.
  ///
  /// - Returns: the exit status where `swift test` succeeded.
  func report(to outputs: Outputs, failOn: FailOn) throws(ToolFailure) -> Int32 {
    var report = collected.builder.report
    if areNone { report.tracking.notes.append(Self.noRunner) }
    try outputs.write(report, captures: folder.streams(of: collected.readable))
    sayWhatWasNotWatched(report)
    return unwatched.isEmpty ? ExitStatus.status(for: report, failOn: failOn) : ExitStatus.nothingWatched
  }

  private func sayWhatWasNotWatched(_ report: Report) {
    let reasons = areNone ? [Self.noRunner] : unwatched
    guard let first = reasons.first else { return }
    let others = reasons.count > 1 ? " (and \(reasons.count - 1) more)" : ""
    printError((report.tracking.wasWatched ? "not watched: " : "nothing was watched: ") + first + others)
  }

  private static let noRunner = "swift test started no tests through this tool's test runner"
}
