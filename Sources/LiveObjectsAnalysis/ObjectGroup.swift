import LiveObjectsCapture

/// The objects of one type, stack trace and owner.
struct ObjectGroup {
  /// Index into `Capture.types`.
  var type: Int
  var stackTrace: UInt32
  var owner: ObjectOwner
  var tally: Tally
  /// The objects that have grown, where findings list their objects.
  var members: [Int] = []

  static func groups(of scope: AnalysisScope) -> [ObjectGroup] {
    guard let considered = scope.considered else {
      return groups(of: scope.capture.objects.indices, scope)
    }
    return groups(of: considered, scope)
  }

  /// The objects that are neither leaked nor held by a known holder.
  ///
  /// - Parameter heap: `nil` where no references were read.
  static func unexplained(by heap: ReachabilityAnalysis?, _ scope: AnalysisScope) -> [ObjectGroup] {
    let counted = heap?.counted ?? scope.counted
    var groups: [Key: ObjectGroup] = [:]
    for (index, object) in scope.capture.objects.enumerated()
    where counted[index] && !(heap?.isLeaked(index) ?? false) && heap?.signature(of: index) == nil {
      let key = Key(object, of: scope.owner(of: index))
      groups[key, default: ObjectGroup(key, Tally())].add(object, index, heap, scope)
    }
    return Array(groups.values)
  }

  private mutating func add(
    _ object: LiveObject, _ index: Int, _ heap: ReachabilityAnalysis?, _ scope: AnalysisScope
  ) {
    tally.add(object, baseline: scope.baseline)
    guard !object.isPinned else { return }
    tally.unexplainedRetains += max(0, heap?.graph.unexplained(index) ?? 0)
    if scope.namesMembers { members.append(index) }
  }

  private static func groups(of objects: some Sequence<Int>, _ scope: AnalysisScope) -> [ObjectGroup] {
    var tallies: [Key: Tally] = [:]
    for index in objects {
      let object = scope.capture.objects[index]
      tallies[Key(object, of: scope.owner(of: index)), default: Tally()].add(
        object, baseline: scope.baseline)
    }
    return tallies.map { ObjectGroup($0, $1) }
  }

  private init(_ key: Key, _ tally: Tally) {
    (type, stackTrace, owner, self.tally) = (key.type, key.stackTrace, key.owner, tally)
  }

  private struct Key: Hashable {
    var type: Int
    var stackTrace: UInt32
    var owner: ObjectOwner

    init(_ object: LiveObject, of owner: ObjectOwner) {
      (type, stackTrace, self.owner) = (object.type, object.stackTrace, owner)
    }
  }
}
