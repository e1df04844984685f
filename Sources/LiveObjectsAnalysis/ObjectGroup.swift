import LiveObjectsCapture

/// The objects of one type that came from one stack trace and were made by one test.
struct ObjectGroup {
  /// Index into `Capture.types`.
  var type: Int
  var stackTrace: UInt32
  var test: Int32
  var tally: Tally

  static func groups(of judged: JudgedObjects) -> [ObjectGroup] {
    guard let considered = judged.considered else {
      return groups(of: judged.capture.objects.indices, judged)
    }
    return groups(of: considered, judged)
  }

  /// The objects of which the heap does not tell why they are alive.
  static func unexplained(by heap: HeapJudgement) -> [ObjectGroup] {
    let judged = heap.judged
    var tallies: [Key: Tally] = [:]
    for (index, object) in judged.capture.objects.enumerated()
    where heap.counted[index] && !heap.isLeaked(index) && heap.signature(of: index) == nil {
      let key = Key(object, of: judged.test(of: index))
      tallies[key, default: Tally()].add(object, baseline: judged.baseline)
      if !object.isPinned { tallies[key]?.unexplainedRetains += max(0, heap.graph.unexplained(index) ?? 0) }
    }
    return tallies.map(ObjectGroup.init)
  }

  private static func groups(of objects: some Sequence<Int>, _ judged: JudgedObjects) -> [ObjectGroup] {
    var tallies: [Key: Tally] = [:]
    for index in objects {
      let object = judged.capture.objects[index]
      tallies[Key(object, of: judged.test(of: index)), default: Tally()].add(
        object, baseline: judged.baseline)
    }
    return tallies.map(ObjectGroup.init)
  }

  private init(_ key: Key, _ tally: Tally) {
    (type, stackTrace, test, self.tally) = (key.type, key.stackTrace, key.test, tally)
  }

  private struct Key: Hashable {
    var type: Int
    var stackTrace: UInt32
    var test: Int32

    init(_ object: LiveObject, of test: Int32) {
      (type, stackTrace, self.test) = (object.type, object.stackTrace, test)
    }
  }
}
