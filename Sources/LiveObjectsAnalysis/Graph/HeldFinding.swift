/// A finding of held objects, before those that one task holds are joined.
struct HeldFinding {
  /// What all of them wait for.
  private struct Task: Hashable {
    enum End: Hashable {
      case ofTask(Int)
      /// A task that an event loop of SwiftNIO runs later: the call that scheduled it.
      case ofScheduled(Finding.Hint)
    }
    var end: End
    var owner: ObjectOwner
  }

  private(set) var finding: Finding
  let allocated: [AllocatedObjects]
  /// `nil` for objects that no task holds, and for a collection, which has grown by itself.
  private let task: Task?
  private let isCycle: Bool

  /// - Parameter isCycle: the objects hold the task that holds them.
  init(
    _ finding: Finding, _ allocated: [AllocatedObjects], owner: ObjectOwner, by origin: HolderSearch.Origin?,
    _ isCycle: Bool
  ) {
    (self.finding, self.allocated, self.isCycle) = (finding, allocated, isCycle)
    let scheduled = origin == nil || finding.hint?.action != .cancelTask ? nil : finding.hint
    // The main task directly or indirectly holds all that the program has.
    if case .task(let task) = origin, finding.path.first?.isMainTask != true {
      self.task = Task(end: .ofTask(task), owner: owner)
    } else {
      task = scheduled.map { Task(end: .ofScheduled($0), owner: owner) }
    }
  }

  /// The findings, those of one task as one: all of its objects go when it ends. It is named after the object that holds
  /// the task, or one of the program's own; the others are its victims. Objects that are more than that, or have a fix of
  /// their own, may be growth, and stay a finding.
  static func joined(_ all: [HeldFinding], _ packages: Packages) -> [HeldFinding] {
    let tasks = Dictionary(grouping: all.indices.filter { all[$0].task != nil }) { all[$0].task }
    var joined = all
    var others: Set<Int> = []
    for indices in tasks.values where indices.count > 1 {
      let first = indices.min { all[$0].rank(packages, $0) < all[$1].rank(packages, $1) }!
      let victims = indices.filter { $0 != first && all[$0].mayJoin(all[first]) }
      joined[first].finding.add(victims: victims.map { all[$0].finding })
      others.formUnion(victims)
    }
    return joined.indices.filter { !others.contains($0) }.map { joined[$0] }
  }

  private func mayJoin(_ first: HeldFinding) -> Bool {
    finding.instances == first.finding.instances
      && (finding.hint == nil || finding.hint == first.finding.hint)
  }

  private func rank(_ packages: Packages, _ index: Int) -> (Int, Int, Int, Int, Int) {
    (
      isCycle ? 0 : 1, finding.kind.isInstance ? 0 : 1,
      packages.isProgram(type: finding.type) ? 0 : 1, finding.path.count, index
    )
  }
}
