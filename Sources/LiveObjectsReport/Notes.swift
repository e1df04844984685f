import LiveObjectsAnalysis
import LiveObjectsCapture

/// Notes about what degraded the report, with the processes that they concern.
enum ProcessNotes {
  /// Processes that are named one by one: the tests of a package may run in hundreds.
  private static let namedLimit = 3

  static func notes(of captures: [Capture]) -> [String] {
    collected(from: captures) {
      TrackingNotes.notes(for: $0.tracking) + ReferenceNotes.notes(for: $0.graph?.status)
    }
  }

  /// Notes about limits of the recorder that nothing can change.
  static func details(of captures: [Capture]) -> [String] {
    collected(from: captures) {
      TrackingNotes.details(of: $0.tracking) + ReferenceNotes.details(of: $0.graph?.status)
        + typeNotes(of: $0)
    }
  }

  /// Each note once, with the processes it is about where there are several.
  private static func collected(from captures: [Capture], _ notesOf: (Capture) -> [String]) -> [String] {
    var notes: [String] = []
    var processes: [String: [ProcessDescription]] = [:]
    for capture in captures {
      for note in notesOf(capture) {
        if processes[note] == nil { notes.append(note) }
        if processes[note]?.last != capture.process { processes[note, default: []].append(capture.process) }
      }
    }
    guard captures.count > 1 else { return notes }
    return notes.flatMap { note in labels(processes[note] ?? []).map { "\($0): \(note)" } }
  }

  private static func typeNotes(of capture: Capture) -> [String] {
    let count = capture.objectsOfUnreadableTypes.count
    guard count > 0 else { return [] }
    let effect = ": each value in them that may be a pointer counts as a reference."
    return [
      "\(Count.of(count, "object has", "objects have")) no type that could be read"
        + (capture.graph?.status.wasRead == true ? effect : ".")
    ]
  }

  private static func labels(_ processes: [ProcessDescription]) -> [String] {
    guard processes.count > namedLimit else { return processes.map(\.label) }
    return ["\(processes[0].label) and \(Count.grouped(processes.count - 1)) other processes"]
  }
}

/// Notes about the limits that a recorder reached.
enum TrackingNotes {
  static func notes(for status: TrackingStatus) -> [String] {
    let own = status.state == .tracking ? degradations(of: status) : [unwatched(status.state)]
    return own.compactMap { $0 } + status.notes
  }

  private static func unwatched(_ state: TrackingStatus.State) -> String? {
    switch state {
    case .noRuntime: "There is no Swift runtime in the process, so nothing was tracked."
    case .blind: "The Swift runtime of the process could not be watched."
    case .ready: "Tracking was off when the capture was taken."
    case .tracking: nil
    }
  }

  private static func degradations(of status: TrackingStatus) -> [String?] {
    [
      Count.note(
        status.droppedRecords, "object was", "objects were",
        "not recorded, since \(whyNotRecorded(status))"),
      Count.note(
        status.droppedStackTraces, "object has", "objects have",
        "no stack trace, since \(limit(of: status, raisedBy: "maxstackbytes", loss: "call sites are missing"))"
      ),
      Count.note(
        status.missedDeallocations, "deallocation was", "deallocations were",
        "not recorded: as many objects may be counted as alive although they are not."),
      stacks(status.stackSource),
      sample(status.sampleBytes),
    ]
  }

  static func details(of status: TrackingStatus) -> [String] {
    status.hookMode == .gotEntries && status.state == .tracking
      ? ["Allocations were recorded through GOT entries of the runtime, not through its hook pointers."] : []
  }

  private static func whyNotRecorded(_ status: TrackingStatus) -> String {
    let loss = "counts are too low"
    return status.wasStopped
      ? "LiveObjects.stop() was called: \(loss)." : limit(of: status, raisedBy: "maxobjects", loss: loss)
  }

  private static func limit(of status: TrackingStatus, raisedBy option: String, loss: String) -> String {
    guard status.wasShortOfMemory else {
      return
        "the limit was reached: \(loss). `\(status.hasBudget ? "budget" : option)=` in LIVEOBJECTS_OPTIONS "
        + "raises it."
    }
    return "the recorder had used up its share of the process's memory limit: \(loss). "
      + "It records more where the process may have more memory."
  }

  private static func sample(_ bytes: UInt64) -> String? {
    guard bytes > 0 else { return nil }
    let sizes = [100, 10].map { Count.bytes(bytes.multipliedReportingOverflow(by: $0).partialValue) }
    return
      "Stack traces are a sample, one for \(Count.bytes(bytes)) allocated on average: numbers of call sites (≈) are "
      + "estimates, off by about 10 % for \(sizes[0]) and 30 % for \(sizes[1]), and all others are exact."
  }

  private static func stacks(_ source: TrackingStatus.StackSource) -> String? {
    switch source {
    case .unwindTables: nil
    case .off: "Stack traces were off: call sites are not known."
    }
  }
}

/// Notes about references that could not be read.
enum ReferenceNotes {
  /// - Parameter status: `nil` where references were not requested.
  static func notes(for status: HeapGraph.Status?) -> [String] {
    guard let status else { return [] }
    let own = status.wasRead ? degradations(of: status) : [unread]
    return own.compactMap { $0 } + status.notes
  }

  static func details(of status: HeapGraph.Status?) -> [String] {
    guard let status, status.wasRead else { return [] }
    return [
      Count.note(
        status.scannedObjects, "object has", "objects have",
        "properties of unknown types, since metadata is missing: each value in them that may be a pointer "
          + "counts as a reference, and findings that depend on one are called probable."),
      status.missesStacks
        ? "Not every thread's stack was read: objects that only a stack holds are reported as growth." : nil,
    ].compactMap { $0 }
  }

  private static let unread =
    "The references between objects could not be read: leaks cannot be distinguished from growth."

  private static func degradations(of status: HeapGraph.Status) -> [String?] {
    [
      Count.note(
        status.unreadObjects, "object", "objects",
        "could not be read: objects that they hold are reported without a holder."),
      status.missesRoots
        ? "Not all memory outside of the heap was read. What only such memory holds may look like a leak: leaks that it could "
          + "refute are called probable."
        : nil,
    ]
  }
}

extension Count {
  /// A sentence about a number of things; `nil` about none.
  fileprivate static func note(
    _ count: some BinaryInteger, _ one: String, _ many: String, _ rest: String
  ) -> String? {
    count > 0 ? "\(of(count, one, many)) \(rest)" : nil
  }
}

/// Notes about tests that were not evaluated, and about leaks that were released after their tests had
/// ended.
enum TestNotes {
  private static let listedTests = 3

  static func notes(onReleased released: [Finding]) -> [String] { released.map(note(onReleased:)) }

  static func notes(for tests: [Report.Test]) -> [String] {
    let unevaluated = tests.filter { !$0.outcome.isAccountable }
    let unfinished = unevaluated.count { $0.outcome == .running }
    return [
      note(onUnevaluated: tests.filter { $0.evaluation == .impossible }),
      note(on: unevaluated.count - unfinished, "failed or was skipped", "failed or were skipped"),
      note(on: unfinished, "had not ended", "had not ended"),
    ].compactMap { $0 }
  }

  private static func note(onReleased finding: Finding) -> String {
    let test = TestName(of: finding)?.description ?? "A test"
    return "\(test) had left a leak when it ended: \(finding.title); its objects were released later."
  }

  private static func note(onUnevaluated tests: [Report.Test]) -> String? {
    guard !tests.isEmpty else { return nil }
    return
      "Whether \(list(tests.map { TestName($0).description })) left a leak behind could not be evaluated."
  }

  fileprivate static func list(_ tests: [String]) -> String {
    Count.list(tests, atMost: listedTests, "test", "tests")
  }

  private static func note(on count: Int, _ one: String, _ many: String) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "test", "tests")) \(count == 1 ? one : many): "
      + "what \(count == 1 ? "it" : "they") left behind was not evaluated."
  }
}

extension Capture {
  /// A sentence about a process that wrote no capture, with the tests during which it ended; `nil` if it
  /// wrote one.
  ///
  /// - Parameter process: its name in the sentence.
  package func untimelyEnd(of process: String) -> String? {
    guard isJournal else { return nil }
    let running = tests.filter { $0.outcome == .running }.map { TestName($0).description }
    return "\(process) ended before it could report"
      + (running.isEmpty ? "" : ", during \(TestNotes.list(running))")
  }
}
