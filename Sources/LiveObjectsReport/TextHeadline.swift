import LiveObjectsAnalysis
import LiveObjectsCapture

/// The first line of a text report: the whole answer in one sentence.
enum TextHeadline {
  static func text(of report: Report) -> String {
    "LiveObjects: \(answer(of: report))"
  }

  private static func answer(of report: Report) -> String {
    let place = place(report.processes)
    if !report.tracking.wasWatched {
      return "NOTHING WAS WATCHED\(place), so this report cannot tell whether anything was left behind"
    }
    if report.isClean { return nothingOfYours(report, place) }
    if report.findings.isEmpty {
      return "nothing of yours was found\(place), but the recording is incomplete"
    }
    return "\(leftBehind(report)) behind\(place)"
  }

  /// "Clean" only where nothing at all is alive: what the program keeps in the library's types is its own too.
  private static func nothingOfYours(_ report: Report, _ place: String) -> String {
    let others = report.types.filter { $0.growth > 0 }
    guard !others.isEmpty else { return "clean, nothing of yours was left behind\(place)" }
    let instances = others.reduce(0) { $0 + $1.growth }
    let bytes = others.reduce(into: UInt64(0)) { $0.add(saturating: $1.growthBytes) }
    return "no types of yours were left behind\(place); "
      + "\(Count.of(instances, "instance", "instances")) of other types (\(Count.bytes(bytes)))"
  }

  private static func leftBehind(_ report: Report) -> String {
    let types = Set(report.findings.map(\.type))
    let others = Set(report.types.lazy.filter { !$0.isUsers }.map(\.type))
    let whose = types.isDisjoint(with: others) ? " of yours" : ""
    let objects = report.findings.reduce(0) { $0 + $1.objects }
    let bytes = report.findings.reduce(into: UInt64(0)) { $0.add(saturating: $1.bytes) }
    return "\(Count.of(types.count, "type", "types"))\(whose) left "
      + "\(Count.of(objects, "instance", "instances")) (\(Count.bytes(bytes)))"
  }

  private static func place(_ processes: [ProcessDescription]) -> String {
    guard let first = processes.first else { return "" }
    let others = processes.count - 1
    return " in \(first.label)"
      + (others > 0 ? " and \(Count.of(others, "other process", "other processes"))" : "")
  }
}
