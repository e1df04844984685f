import LiveObjectsCapture

/// Notes about what degraded the report, with the processes that they concern.
enum ProcessNotes {
  /// Processes that are named one by one: the tests of a package may run in hundreds.
  private static let namedLimit = 3

  /// Each note once, with the processes it is about where there are several.
  static func notes(of captures: [Capture]) -> [String] {
    var notes: [String] = []
    var processes: [String: [ProcessDescription]] = [:]
    for capture in captures {
      for note in Self.notes(of: capture) {
        if processes[note] == nil { notes.append(note) }
        if processes[note]?.last != capture.process { processes[note, default: []].append(capture.process) }
      }
    }
    guard captures.count > 1 else { return notes }
    return notes.flatMap { note in labels(processes[note] ?? []).map { "\($0): \(note)" } }
  }

  private static func notes(of capture: Capture) -> [String] {
    TrackingNotes.notes(for: capture.tracking) + ReferenceNotes.notes(for: capture.graph?.status)
      + typeNotes(of: capture)
  }

  private static func typeNotes(of capture: Capture) -> [String] {
    capture.unreadableTypes.sorted { $0.key < $1.key }.map { name, count in
      "\(Count.of(count, "object has", "objects have")) no type that could be read (\(name)): "
        + "their references were found by a conservative scan."
    }
  }

  private static func labels(_ processes: [ProcessDescription]) -> [String] {
    guard processes.count > namedLimit else { return processes.map(\.label) }
    return ["\(processes[0].label) and \(Count.grouped(processes.count - 1)) other processes"]
  }
}
