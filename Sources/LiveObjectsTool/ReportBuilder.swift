import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

/// Makes one report of many captures, of which only one has to be in memory at a time.
struct ReportBuilder {
  /// What was judged, without its objects.
  private(set) var captures: [Capture] = []
  /// Processes of which there is no capture, a sentence each. Nobody knows what they left behind, so a
  /// report with such a process is neither complete nor clean.
  private(set) var lost: [String] = []

  private var analyses: [Analysis] = []
  /// One for all: most processes of a run come from the same files.
  private let symbolicator: BinarySymbolicator

  /// - Parameter binaries: a folder to look for the program's files in.
  init(binaries: String? = nil) {
    symbolicator = BinarySymbolicator(binaries: binaries)
  }

  /// Judges a capture and names its frames.
  mutating func add(_ capture: Capture) {
    analyses.append(Analysis(of: capture, symbolicator: symbolicator))
    captures.append(capture.withoutObjects)
  }

  mutating func add(lost sentence: String) {
    lost.append(sentence)
  }

  /// The report on all that was added.
  var report: Report {
    var report = Report(
      of: zip(captures, analyses).map { (capture: $0, analysis: $1) }, notes: lost + symbolicator.notes)
    report.tracking.unwatchedProcesses += lost.count
    report.tracking.isComplete = report.tracking.isComplete && lost.isEmpty
    return report
  }
}

extension Capture {
  /// What a report tells of a capture beside its findings: which process, how it was watched, its tests.
  fileprivate var withoutObjects: Capture {
    let graph = graph.map { HeapGraph(status: $0.status) }
    return Capture(process: process, tracking: tracking, graph: graph, tests: tests)
  }
}
