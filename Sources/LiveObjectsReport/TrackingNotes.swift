import LiveObjectsCapture

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
      dropped(status), droppedTraces(status),
      missed(status.missedDeallocations), stacks(status.stackSource), hooks(status.hookMode),
    ]
  }

  private static func dropped(_ status: TrackingStatus) -> String? {
    guard status.droppedRecords > 0 else { return nil }
    return "\(Count.of(status.droppedRecords, "object was", "objects were")) not recorded, "
      + "since \(limit(of: status, raisedBy: "maxobjects", loss: "counts are too low"))"
  }

  private static func droppedTraces(_ status: TrackingStatus) -> String? {
    guard status.droppedStackTraces > 0 else { return nil }
    return "\(Count.of(status.droppedStackTraces, "object has", "objects have")) no stack trace, "
      + "since \(limit(of: status, raisedBy: "maxstackbytes", loss: "call sites are missing"))"
  }

  private static func limit(of status: TrackingStatus, raisedBy option: String, loss: String) -> String {
    guard status.wasShortOfMemory else {
      return "the limit was reached: \(loss). `\(option)=` in LIVEOBJECTS_OPTIONS raises it."
    }
    return "the recorder had used up its share of the process's memory limit: \(loss). "
      + "It records more where the process may have more memory."
  }

  private static func missed(_ count: UInt64) -> String? {
    guard count > 0 else { return nil }
    return "\(Count.of(count, "deallocation was", "deallocations were")) not recorded: "
      + "as many objects may be counted as alive although they are not."
  }

  private static func stacks(_ source: TrackingStatus.StackSource) -> String? {
    switch source {
    case .unwindTables: nil
    case .off: "Stack traces were off: call sites are not known."
    case .framePointers:
      "libunwind.so.8 was not found: stack traces were taken from frame pointers and may miss frames."
    }
  }

  private static func hooks(_ mode: TrackingStatus.HookMode) -> String? {
    guard mode == .gotEntries else { return nil }
    return "Allocations were recorded through GOT entries of the runtime, not through its hook pointers."
  }
}
