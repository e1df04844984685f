import LiveObjectsCapture

/// An object that a task holds and that keeps the task: what a person has to break.
struct TaskCycle {
  /// Objects on it that are looked at for another finding.
  private static let mostObjects = 64

  private let task: Int
  /// Once round, from the object by way of the task.
  let path: ObjectPath

  /// - Returns: `nil` where no task holds the object, or the object does not keep that one, as far as can be seen.
  init?(
    of object: Int, heldBy holder: (origin: HolderSearch.Origin, path: ObjectPath), in graph: ReferenceGraph,
    _ finder: inout PathFinder
  ) {
    guard case .task(let task) = holder.origin, object != holder.path.start else { return nil }
    let back = finder.path(
      from: object, to: holder.path.start, lookingAt: PathFinder.patience, follows: graph.isStrong)
    guard let back else { return nil }
    self.task = task
    path = ObjectPath(start: object, references: back.references + holder.path.references)
  }

  /// Whether one of the other objects on it is told as such a cycle itself, of the same test.
  ///
  /// - Parameter isTold: the objects that have findings.
  func tells(of test: Int32, in judgement: HeapJudgement, isTold: (Int) -> Bool) -> Bool {
    path.references.prefix(Self.mostObjects).lazy.map(judgement.graph.target).contains { object in
      object != path.start && isTold(object) && judgement.signature(of: object) != nil
        && judgement.judged.namesake(of: judgement.judged.test(of: object)) == test
        && judgement.holders.path(to: object)?.origin == .task(task)
    }
  }
}
