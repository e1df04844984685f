import LiveObjectsCapture
import LiveObjectsReport

/// What the test processes of `swift test` left in the folder of captures.
struct WatchedTests {
  private var collected: CollectedCaptures
  /// No test process was started, as far as is known.
  let areNone: Bool
  /// Processes of which nobody knows what they left behind, a sentence each.
  private var unwatched: [String] = []

  /// Reads and judges all captures.
  ///
  /// - Parameter notesRuns: whether every run was noted before it started. If not, programs that the build started
  ///   were watched as well; they do not count.
  init(in folder: CaptureFolder, notesRuns: Bool) {
    let runs = TestRun.all(in: folder)
    let names = Dictionary(uniqueKeysWithValues: runs.map { ($0.capture, $0.description) })
    let line = ProgressLine()
    defer { line.erase() }
    collected = CollectedCaptures(
      in: folder, processes: names, isIncluded: { notesRuns || $0.process.isTestBinary },
      progress: { line.show("reading \($0) of \($1) captures") })
    areNone = runs.isEmpty && collected.files.isEmpty
    for run in runs where collected.outcomes[run.capture] == nil {
      add(unwatched: "\(run): \(UnwatchedReason(ofSilent: run.program, .exited(0), lost: []))")
    }
    for file in notesRuns ? runs.map(\.capture) : collected.files { judge(file) }
  }

  private mutating func judge(_ file: String) {
    guard let outcome = collected.outcomes[file] else { return }
    if let lost = outcome.lost { unwatched.append(lost) }
    unwatched += outcome.captures.compactMap { $0.untimelyEnd(of: collected.name(of: file)) }
    let isWatched = outcome.captures.contains { $0.tracking.state == .tracking }
    guard !isWatched, let reason = UnwatchedReason(of: outcome.captures) else { return }
    unwatched.append("\(collected.name(of: file)): \(reason)")
  }

  /// Counts a run of which there is no file.
  mutating func add(unwatched sentence: String) {
    unwatched.append(sentence)
    collected.add(lost: sentence)
  }

  /// Writes the report.
  ///
  /// - Returns: the exit status where `swift test` succeeded.
  func report(to outputs: Outputs, failOn: FailOn) throws(ToolFailure) -> Int32 {
    let report = collected.builder.report
    collected.sayWhatBecameOfLeakSanitizer()
    outputs.sayWhatIsNotEvaluated(report)
    try outputs.write(report, failOn: failOn, captures: collected.streams)
    sayWhatWasNotWatched(report)
    if outputs.fallback == nil { sayWhatFails(report, failOn) }
    return unwatched.isEmpty ? ExitStatus.status(for: report, failOn: failOn) : ExitStatus.nothingWatched
  }

  /// The report went to files: whoever reads the log sees tests that passed, and a status that is not 0.
  private func sayWhatFails(_ report: Report, _ failOn: FailOn) {
    let count = report.failingFindings(failOn).count
    guard count > 0 else { return }
    let findings = count == 1 ? "1 finding fails" : "\(count) findings fail"
    printError("\(findings) (--fail-on \(failOn.rawValue)); see the report")
  }

  private func sayWhatWasNotWatched(_ report: Report) {
    guard let first = unwatched.first else { return }
    let others = unwatched.count > 1 ? " (and \(unwatched.count - 1) more)" : ""
    printError((report.tracking.wasWatched ? "not watched: " : "nothing was watched: ") + first + others)
  }
}

extension ProcessDescription {
  /// As either build system of SwiftPM names it.
  fileprivate var isTestBinary: Bool { name.hasSuffix(".xctest") || name.hasSuffix("-test-runner") }
}
