import LiveObjectsCapture

/// The objects of one type that came from one stack trace and were made by one test.
struct ObjectGroup {
  /// Index into `Capture.types`.
  var type: Int
  var stackTrace: UInt32
  var test: Int32
  var tally: Tally
  /// All that have grown, where findings name their objects.
  var members: [Int] = []

  static func groups(of judged: JudgedObjects) -> [ObjectGroup] {
    guard let considered = judged.considered else {
      return groups(of: judged.capture.objects.indices, judged)
    }
    return groups(of: considered, judged)
  }

  /// The objects of which nothing tells why they are alive.
  ///
  /// - Parameter heap: `nil` where no references were read.
  static func unexplained(by heap: HeapJudgement?, _ judged: JudgedObjects) -> [ObjectGroup] {
    let counted = heap?.counted ?? judged.counted
    var groups: [Key: ObjectGroup] = [:]
    for (index, object) in judged.capture.objects.enumerated()
    where counted[index] && !(heap?.isLeaked(index) ?? false) && heap?.signature(of: index) == nil {
      let key = Key(object, of: judged.test(of: index))
      groups[key, default: ObjectGroup(key, Tally())].add(object, index, heap, judged)
    }
    return Array(groups.values)
  }

  private mutating func add(
    _ object: LiveObject, _ index: Int, _ heap: HeapJudgement?, _ judged: JudgedObjects
  ) {
    tally.add(object, baseline: judged.baseline)
    guard !object.isPinned else { return }
    tally.unexplainedRetains += max(0, heap?.graph.unexplained(index) ?? 0)
    if judged.namesMembers { members.append(index) }
  }

  private static func groups(of objects: some Sequence<Int>, _ judged: JudgedObjects) -> [ObjectGroup] {
    var tallies: [Key: Tally] = [:]
    for index in objects {
      let object = judged.capture.objects[index]
      tallies[Key(object, of: judged.test(of: index)), default: Tally()].add(
        object, baseline: judged.baseline)
    }
    return tallies.map { ObjectGroup($0, $1) }
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
