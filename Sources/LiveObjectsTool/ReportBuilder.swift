import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport
import LiveObjectsSymbolication

/// Builds one report from many captures, of which only some have to be in memory at a time.
struct ReportBuilder {
  /// The number of objects for which captures wait for names: 100 MB, and hundreds of small captures. The
  /// symbolizer gets each request only once, so that more would not save much.
  private static let waitingObjectLimit = 200_000

  /// The analysed captures, without their objects.
  private(set) var captures: [Capture] = []
  /// The processes without a capture, a sentence each. Their objects are unknown, so a report with such a
  /// process is neither complete nor clean.
  private(set) var lost: [String] = []

  private var analyses: [Analysis] = []
  private var unnamed: [UnnamedAnalysis] = []
  private var waitingObjects = 0
  /// One for all: most processes of a run come from the same files.
  private let symbolicator: BinarySymbolicator

  /// - Parameters:
  ///   - binaries: a folder to search for the program's files.
  ///   - origin: of all captures that are added.
  init(binaries: String? = nil, origin: CaptureOrigin) {
    symbolicator = BinarySymbolicator(binaries: binaries, origin: origin)
  }

  /// Analyses a capture.
  ///
  /// - Parameter process: the name of its process; the default is its own.
  mutating func add(_ capture: Capture, of process: String? = nil) {
    if let end = capture.untimelyEnd(of: process ?? capture.process.label) { add(lost: end) }
    captures.append(capture.withoutObjects)
    unnamed.append(UnnamedAnalysis(of: capture))
    waitingObjects += capture.objects.count
    if waitingObjects > Self.waitingObjectLimit { nameAll() }
  }

  /// Names the frames of the captures that wait for it.
  private mutating func nameAll() {
    symbolicator.prepare(unnamed.map { ($0.frames, $0.capture) })
    analyses += unnamed.map { $0.named(by: symbolicator) }
    unnamed = []
    waitingObjects = 0
  }

  /// Notes about data that the user has switched off.
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
  /// The parts of a capture that a report needs beside its findings: process, tracking status, tests.
  fileprivate var withoutObjects: Capture {
    let graph = graph.map { HeapGraph(status: $0.status) }
    var capture = Capture(process: process, tracking: tracking, graph: graph, tests: tests)
    capture.listsTests = listsTests
    capture.isJournal = isJournal
    return capture
  }
}
