import LiveObjectsAnalysis
import LiveObjectsCapture

extension Report {
  /// The completeness of a report.
  public struct Tracking: Sendable, Hashable {
    /// Whether nothing was dropped, missed or degraded.
    public var isComplete: Bool
    /// Whether at least one process was watched; without it no report may say "clean".
    public var wasWatched: Bool
    /// Processes with a Swift runtime that were not watched.
    public var unwatchedProcesses: Int
    /// Human-readable sentences about what degraded the report.
    public var notes: [String]
    /// Human-readable sentences about limits of the recorder that nothing can change.
    public var details: [String]
    /// Objects that are missing from the report.
    public var droppedRecords: UInt64
    /// Whether the references between objects were read in every watched process, so that leaks are
    /// distinguished from growth.
    public var readReferences: Bool
    /// Whether memory that may refer to objects was not read in some watched process: leaks may be missing then.
    public var missesRoots = false
    /// The watched processes with objects that were not recorded or references that could not be read, or
    /// that ended early, and test processes that were not watched, a sentence with the reason each. Where there are
    /// any, no report may say that nothing leaked.
    public var unevaluated: [String]
    /// Whether every watched process listed its tests: without any in the report, none ran.
    package var listedTests: Bool
    /// The findings that were left out on request; `nil` for none.
    package var restriction: Restriction?

    /// Whether every process was watched and evaluated, and no object is missing.
    var sawEverything: Bool {
      wasWatched && unwatchedProcesses == 0 && droppedRecords == 0 && unevaluated.isEmpty
    }
  }
}

extension Report {
  /// What a report is restricted to.
  package enum Restriction: String, Sendable {
    case filter
    case comparison
    case sinceLastSnapshot

    /// What a report without leaks says.
    var noLeaks: String {
      switch self {
      case .filter: "no leaks match the filter"
      case .comparison: "no new leaks"
      case .sinceLastSnapshot: "no leaks since the last snapshot"
      }
    }
  }
}

extension Report.Tracking {
  /// The reason why leaks cannot be distinguished from growth, one sentence; `nil` if they are.
  package var evaluationFailure: String? {
    guard let first = unevaluated.first else { return nil }
    let others = unevaluated.count - 1
    let place = others > 0 ? " (and \(Count.of(others, "other process", "other processes")))" : ""
    return "LEAKS COULD NOT BE EVALUATED: \(first)\(place)"
  }

  init(of captures: [Capture], notes: [String]) {
    let statuses = captures.map(\.tracking)
    // A program without Swift that a watched one started takes nothing away from the report.
    let relevant = statuses.filter { $0.state != .noRuntime }
    wasWatched = relevant.contains { $0.state == .tracking }
    unwatchedProcesses = relevant.count(where: { $0.state != .tracking })
    isComplete =
      wasWatched && relevant.allSatisfy(\.isComplete)
      && captures.allSatisfy { $0.graph?.status.isComplete ?? true && $0.objectsOfUnreadableTypes.isEmpty }
    droppedRecords = statuses.reduce(into: UInt64(0)) { $0.add(saturating: $1.droppedRecords) }
    let watched = captures.filter { $0.tracking.state == .tracking }
    readReferences = !watched.isEmpty && watched.allSatisfy { $0.graph?.status.wasRead == true }
    missesRoots = watched.contains { $0.graph?.status.missesRoots == true }
    unevaluated = watched.compactMap(\.reasonForNoEvaluation)
    listedTests = !watched.isEmpty && watched.allSatisfy(\.listsTests)
    self.notes = ProcessNotes.notes(of: captures) + notes
    details = ProcessNotes.details(of: captures)
  }

}

extension Capture {
  /// `nil` where all objects were recorded and read, or references were not requested.
  fileprivate var reasonForNoEvaluation: String? {
    if let end = untimelyEnd(of: "it") { return "\(process.label): \(end)" }
    if tracking.droppedRecords > 0 {
      return
        "\(process.label): \(Count.of(tracking.droppedRecords, "object was", "objects were")) not recorded"
    }
    if tracking.missesObjects {
      return "\(process.label): \(tracking.notes.first ?? "objects may be missing")"
    }
    return graph?.status.evaluationFailure.map { "\(process.label): \($0)" }
  }
}

extension TrackingStatus {
  fileprivate var isComplete: Bool {
    state == .tracking && droppedRecords == 0 && droppedStackTraces == 0 && missedDeallocations == 0
      && notes.isEmpty
  }
}

extension HeapGraph.Status {
  /// Whether all was read but stacks of running threads and objects without metadata, which have notes of
  /// their own.
  fileprivate var isComplete: Bool {
    wasRead && unreadObjects == 0 && !missesRoots && notes.isEmpty
  }
}

extension ProcessDescription {
  /// `demo (pid 12)`.
  package var label: String { "\(name) (pid \(id))" }
}
