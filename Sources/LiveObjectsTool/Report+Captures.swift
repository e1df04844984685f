import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

extension Report {
  /// Judges captures, names their frames and puts all into one report.
  ///
  /// - Parameters:
  ///   - binaries: a folder to look for the program's files in.
  ///   - lost: processes of which there is no capture, a sentence each. Nobody knows what they left
  ///     behind, so a report with such a process is neither complete nor clean.
  init(of captures: [Capture], binaries: String? = nil, lost: [String] = []) {
    let symbolicator = BinarySymbolicator(binaries: binaries)
    let judged = captures.map { capture in
      (capture: capture, analysis: Analysis(of: capture, symbolicator: symbolicator))
    }
    self.init(of: judged, notes: lost + symbolicator.notes)
    tracking.unwatchedProcesses += lost.count
    tracking.isComplete = tracking.isComplete && lost.isEmpty
  }
}
