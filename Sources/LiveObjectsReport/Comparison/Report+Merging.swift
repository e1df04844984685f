import LiveObjectsAnalysis

extension Report {
  /// Merges reports on different processes, shards of a CI job for instance: equal findings, tests and types
  /// are one.
  ///
  /// - Parameter reports: at least one.
  package static func merging(_ reports: [Report]) -> Report {
    guard reports.count > 1 else { return reports[0] }
    var merged = reports[0]
    merged.processes = reports.flatMap(\.processes)
    merged.findings = Finding.merged(reports.flatMap(\.findings), by: Finding.Key.init)
    merged.released = reports.flatMap(\.released)
    merged.tests = Test.merged(reports.flatMap(\.tests), findings: merged.findings)
    merged.types = TypeGrowth.merged(reports.flatMap(\.types))
    merged.tracking = Tracking(merging: reports.map(\.tracking))
    if merged.tracking.wasWatched { merged.tracking.unevaluated += reports.compactMap(\.unwatchedSentence) }
    return merged
  }

  /// What is unknown of a report without a watched process; `nil` for others.
  private var unwatchedSentence: String? {
    guard !tracking.wasWatched else { return nil }
    return "\(processes.first?.label ?? "one of the reports"): nothing was watched"
      + (tracking.notes.first.map { ", \($0)" } ?? "")
  }
}

extension Report.Tracking {
  /// - Parameter others: at least one.
  fileprivate init(merging others: [Report.Tracking]) {
    self = others[0]
    missesRoots = others.contains(where: \.missesRoots)
    // A report on an unwatched program counts that one as unwatched.
    wasWatched = others.contains(where: \.wasWatched)
    isComplete = others.allSatisfy(\.isComplete)
    unwatchedProcesses = others.reduce(0) { $0 + $1.unwatchedProcesses }
    droppedRecords = others.reduce(into: 0) { $0.add(saturating: $1.droppedRecords) }
    readReferences = others.allSatisfy(\.readReferences)
    unevaluated = others.flatMap(\.unevaluated)
    listedTests = others.allSatisfy(\.listedTests)
    restriction = others.lazy.compactMap(\.restriction).first
    notes = Self.withoutRepetition(others.flatMap(\.notes))
    details = Self.withoutRepetition(others.flatMap(\.details))
  }

  private static func withoutRepetition(_ sentences: [String]) -> [String] {
    var seen: Set<String> = []
    return sentences.filter { seen.insert($0).inserted }
  }
}
