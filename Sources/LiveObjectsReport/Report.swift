import LiveObjectsAnalysis
import LiveObjectsCapture

/// Everything a renderer shows: what was watched, what was found.
public struct Report: Sendable {
  public struct Tracking: Sendable, Hashable {
    /// Nothing was dropped, missed or degraded.
    public var isComplete: Bool
    /// The process was watched at all; without it no report may say "clean".
    public var wasWatched: Bool
    /// Sentences for people: what degraded the report.
    public var notes: [String]
    public var droppedRecords: UInt64
  }
  public var tracking: Tracking
  /// The programs the report is about: executable and process id.
  public var processes: [ProcessDescription]
  public var findings: [Finding]
  public var types: [TypeGrowth]

  /// Merges the captures of one run (a program and its child processes) into one report.
  public init(of captures: [(capture: Capture, analysis: Analysis)]) {
    tracking = Tracking(isComplete: false, wasWatched: false, notes: [], droppedRecords: 0)
    processes = captures.map(\.capture.process)
    findings = []
    types = []
  }

  /// True only where the process was watched, nothing was dropped and nothing was found.
  public var isClean: Bool { false }
}
