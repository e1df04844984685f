import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport

extension Report {
  /// Judges captures, names their frames and puts all into one report.
  ///
  /// - Parameters:
  ///   - binaries: a folder to look for the program's files in.
  ///   - notes: what else degraded the report.
  init(of captures: [Capture], binaries: String? = nil, notes: [String] = []) {
    let symbolicator = BinarySymbolicator(binaries: binaries)
    let judged = captures.map { capture in
      (capture: capture, analysis: Analysis(of: capture, symbolicator: symbolicator))
    }
    self.init(of: judged, notes: notes + symbolicator.notes)
  }
}
