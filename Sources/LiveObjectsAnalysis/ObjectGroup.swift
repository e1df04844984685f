import LiveObjectsCapture

/// The objects of one type that came from one stack trace.
struct ObjectGroup {
  /// Index into `Capture.types`.
  var type: Int
  var stackTrace: UInt32
  var tally: Tally

  static func groups(of capture: Capture, options: Analysis.Options) -> [ObjectGroup] {
    guard let counted = options.objects else { return groups(capture.objects, options.baseline) }
    return groups(counted.lazy.map { capture.objects[$0] }, options.baseline)
  }

  /// The objects of which the heap does not tell why they are alive.
  static func unexplained(
    by heap: HeapJudgement, of capture: Capture, options: Analysis.Options
  ) -> [ObjectGroup] {
    var tallies: [Key: Tally] = [:]
    for (index, object) in capture.objects.enumerated()
    where heap.counted[index] && !heap.isLeaked(index) && heap.signature(of: index) == nil {
      let key = Key(type: object.type, stackTrace: object.stackTrace)
      tallies[key, default: Tally()].add(object, baseline: options.baseline)
      if !object.isPinned { tallies[key]?.unexplainedRetains += max(0, heap.graph.unexplained(index) ?? 0) }
    }
    return tallies.map { ObjectGroup(type: $0.type, stackTrace: $0.stackTrace, tally: $1) }
  }

  private static func groups(_ objects: some Sequence<LiveObject>, _ baseline: UInt64) -> [ObjectGroup] {
    var tallies: [Key: Tally] = [:]
    for object in objects {
      let key = Key(type: object.type, stackTrace: object.stackTrace)
      tallies[key, default: Tally()].add(object, baseline: baseline)
    }
    return tallies.map { ObjectGroup(type: $0.type, stackTrace: $0.stackTrace, tally: $1) }
  }

  private struct Key: Hashable {
    var type: Int
    var stackTrace: UInt32
  }
}
