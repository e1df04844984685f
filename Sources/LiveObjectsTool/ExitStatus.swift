import LiveObjectsReport
import LiveObjectsSymbolication

/// The exit statuses of this tool's own.
enum ExitStatus {
  static let failingFindings: Int32 = 1
  static let usage: Int32 = 2
  /// Nothing was watched, or leaks could not be evaluated.
  static let nothingWatched: Int32 = 3

  /// The status for a report, if the program has succeeded.
  static func status(for report: Report, failOn: FailOn) -> Int32 {
    guard report.tracking.wasWatched, report.tracking.unevaluated.isEmpty else { return nothingWatched }
    return report.failingFindings(failOn).isEmpty ? 0 : failingFindings
  }
}

extension ChildProcess.Ending {
  /// The status as a shell reports it.
  var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    case .unknown: 0
    }
  }
}
