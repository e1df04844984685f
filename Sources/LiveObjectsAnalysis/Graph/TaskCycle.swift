import LiveObjectsCapture

/// A cycle of a task and an object that holds the task, which the user has to break.
struct TaskCycle {
  /// Objects on it that are searched for another finding.
  private static let mostObjects = 64

  private let task: Int
  /// Once round the cycle, from the object through the task.
  let path: ObjectPath

  /// - Returns: `nil` where no task holds the object, or the object does not hold that task, as far as is
  ///   visible.
  init?(
    of object: Int, heldBy holder: (origin: HolderSearch.Origin, path: ObjectPath), in graph: ReferenceGraph,
    _ finder: inout PathFinder
  ) {
    guard case .task(let task) = holder.origin, object != holder.path.start else { return nil }
    let back = finder.path(
      from: object, to: holder.path.start, following: PathFinder.referenceLimit, follows: graph.isStrong)
    guard let back else { return nil }
    self.task = task
    path = ObjectPath(start: object, references: back.references + holder.path.references)
  }

  /// Whether another object on it is reported as such a cycle itself, with the same owner.
  ///
  /// - Parameter hasFinding: the objects that have findings.
  func isReported(
    with owner: ObjectOwner, in reachability: ReachabilityAnalysis, hasFinding: (Int) -> Bool
  ) -> Bool {
    path.references.prefix(Self.mostObjects).lazy.map(reachability.graph.target).contains { object in
      object != path.start && hasFinding(object) && reachability.signature(of: object) != nil
        && reachability.scope.reportedOwner(of: object) == owner
        && reachability.holders.path(to: object)?.origin == .task(task)
    }
  }
}
