import LiveObjectsAnalysis
import LiveObjectsCapture

extension Report {
  /// How far the numbers of a report can be trusted.
  public struct Tracking: Sendable, Hashable {
    /// Nothing was dropped, missed or degraded.
    public var isComplete: Bool
    /// At least one process was watched; without it no report may say "clean".
    public var wasWatched: Bool
    /// Processes with a Swift runtime that were not watched.
    public var unwatchedProcesses: Int
    /// Sentences for people: what degraded the report.
    public var notes: [String]
    /// Objects that are missing from the report.
    public var droppedRecords: UInt64
    /// The references among objects were read in every watched process: what leaked is told from what has grown.
    public var readReferences: Bool
    /// Of watched processes with objects that were not recorded or references that could not be read, or that ended before: which one and why, a sentence each. Where there are
    /// any, no report may say that nothing leaked.
    public var unevaluated: [String]
    /// Every watched process announced its tests: without any in the report, none ran.
    package var toldTests: Bool

    /// Every process was watched and evaluated, and no object is missing.
    var sawEverything: Bool {
      wasWatched && unwatchedProcesses == 0 && droppedRecords == 0 && unevaluated.isEmpty
    }
  }
}

extension Report.Tracking {
  /// The reason why leaks cannot be distinguished from growth, one sentence; `nil` if they are.
  package var blindness: String? {
    guard let first = unevaluated.first else { return nil }
    let others = unevaluated.count - 1
    let place = others > 0 ? " (and \(Count.of(others, "other process", "other processes")))" : ""
    return "LEAKS COULD NOT BE EVALUATED in \(first)\(place)"
  }

  init(of captures: [Capture], notes: [String]) {
    let statuses = captures.map(\.tracking)
    // A program without Swift that a watched one started takes nothing away from the report.
    let relevant = statuses.filter { $0.state != .noRuntime }
    wasWatched = relevant.contains { $0.state == .tracking }
    unwatchedProcesses = relevant.count(where: { $0.state != .tracking })
    isComplete =
      wasWatched && relevant.allSatisfy(\.isComplete)
      && captures.allSatisfy { $0.graph?.status.isComplete ?? true && $0.unreadableTypes.isEmpty }
    droppedRecords = statuses.reduce(into: UInt64(0)) { $0.add(saturating: $1.droppedRecords) }
    let watched = captures.filter { $0.tracking.state == .tracking }
    readReferences = !watched.isEmpty && watched.allSatisfy { $0.graph?.status.wasRead == true }
    unevaluated = watched.compactMap(\.reasonForNoEvaluation)
    toldTests = !watched.isEmpty && watched.allSatisfy(\.tellsTests)
    self.notes = ProcessNotes.notes(of: captures) + notes
  }

}

extension Capture {
  /// `nil` where all objects were recorded and references were read, or not asked for.
  fileprivate var reasonForNoEvaluation: String? {
    if let end = untimelyEnd(of: "it") { return "\(process.label): \(end)" }
    if tracking.droppedRecords > 0 {
      return
        "\(process.label): \(Count.of(tracking.droppedRecords, "object was", "objects were")) not recorded"
    }
    guard let status = graph?.status, !status.wasRead else { return nil }
    return "\(process.label): \(status.notes.first ?? ReferenceNotes.unread)"
  }
}

extension TrackingStatus {
  fileprivate var isComplete: Bool {
    state == .tracking && stackSource != .framePointers
      && droppedRecords == 0 && droppedStackTraces == 0 && missedDeaths == 0 && notes.isEmpty
  }
}

extension HeapGraph.Status {
  /// Stacks of running threads and objects without metadata are passed over by nature; both are said.
  fileprivate var isComplete: Bool {
    wasRead && unreadObjects == 0 && !missesRoots && notes.isEmpty
  }
}

extension ProcessDescription {
  /// `demo (pid 12)`.
  package var label: String { "\(name) (pid \(id))" }
}
