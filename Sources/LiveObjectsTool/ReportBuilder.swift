import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

/// Makes one report of many captures, of which only some have to be in memory at a time.
struct ReportBuilder {
  /// Captures wait for names until they hold this many objects: 100 MB, and hundreds of small captures. What the
  /// symbolizer was asked for once it is not asked for again, so that more would not save much.
  private static let mostWaitingObjects = 200_000

  /// What was judged, without its objects.
  private(set) var captures: [Capture] = []
  /// Processes of which there is no capture, a sentence each. Nobody knows what they left behind, so a
  /// report with such a process is neither complete nor clean.
  private(set) var lost: [String] = []

  private var analyses: [Analysis] = []
  private var unnamed: [UnnamedAnalysis] = []
  private var waitingObjects = 0
  /// One for all: most processes of a run come from the same files.
  private let symbolicator: BinarySymbolicator

  /// - Parameters:
  ///   - binaries: a folder to look for the program's files in.
  ///   - origin: of all captures that are added.
  init(binaries: String? = nil, origin: CaptureOrigin) {
    symbolicator = BinarySymbolicator(binaries: binaries, origin: origin)
  }

  /// Judges a capture.
  ///
  /// - Parameter process: what to call its process, if not by its own name.
  mutating func add(_ capture: Capture, of process: String? = nil) {
    if let end = capture.untimelyEnd(of: process ?? capture.process.label) { add(lost: end) }
    captures.append(capture.withoutObjects)
    unnamed.append(UnnamedAnalysis(of: capture))
    waitingObjects += capture.objects.count
    if waitingObjects > Self.mostWaitingObjects { nameAll() }
  }

  /// Names the frames of the captures that wait for it.
  private mutating func nameAll() {
    symbolicator.prepare(unnamed.map { ($0.frames, $0.capture) })
    analyses += unnamed.map { $0.named(by: symbolicator) }
    unnamed = []
    waitingObjects = 0
  }

  /// What the user chose not to know.
  private var choices: [String] {
    let isChosen = captures.contains { $0.tracking.state == .tracking && $0.graph == nil && !$0.isJournal }
    guard isChosen else { return [] }
    return ["References were not read (graph=off): leaks cannot be distinguished from growth."]
  }

  mutating func add(lost sentence: String) {
    lost.append(sentence)
  }

  /// The report on all that was added.
  var report: Report {
    var named = self
    named.nameAll()
    var report = Report(
      of: zip(captures, named.analyses).map { (capture: $0, analysis: $1) },
      notes: lost + choices + symbolicator.notes)
    report.tracking.unwatchedProcesses += lost.count
    report.tracking.isComplete = report.tracking.isComplete && lost.isEmpty
    return report
  }
}

extension Capture {
  /// What a report tells of a capture beside its findings: which process, how it was watched, its tests.
  fileprivate var withoutObjects: Capture {
    let graph = graph.map { HeapGraph(status: $0.status) }
    var capture = Capture(process: process, tracking: tracking, graph: graph, tests: tests)
    capture.tellsTests = tellsTests
    capture.isJournal = isJournal
    return capture
  }
}
