import LiveObjectsCapture

extension LeakSearch {
  /// Finds unreachable objects with more retains than references.
  ///
  /// While other threads run, one of which may hold an object in a register, an object is over-retained only
  /// if the capture has waited for those threads, or if the ledger accounts for all of its retains and every
  /// thread's stack was read.
  mutating func findOverRetained(_ holders: HolderSearch) {
    let candidates = (0..<graph.count).filter { isOverRetained($0, holders) }
    let held = targets(of: candidates)
    // Objects that another candidate holds come last: they are its victims then.
    for object in candidates.filter({ !held.contains($0) }) + candidates.filter(held.contains) {
      addOverRetained(object, holders)
    }
  }

  /// Takes objects that leaked before, with their victims, whatever seems to hold them now.
  mutating func take(_ leaked: [Int], _ holders: HolderSearch) {
    for object in leaked { addOverRetained(object, holders) }
  }

  /// The objects that these refer to, except themselves.
  private func targets(of objects: [Int]) -> Set<Int> {
    var targets: Set<Int> = []
    for object in objects {
      for reference in graph.references(from: object) where graph.mayHold(reference) {
        if graph.target(reference) != object { targets.insert(graph.target(reference)) }
      }
    }
    return targets
  }

  private func isOverRetained(_ object: Int, _ holders: HolderSearch) -> Bool {
    guard isolation[object] == .held, !holders.isReached(object), !graph.capture.objects[object].isPinned,
      graph.kind(of: object) != .task, let unexplained = graph.unexplained(object), unexplained > 0
    else { return false }
    let status = graph.heap.status
    return hasAllRegisters || status.waitedForOthers || (!status.missesStacks && isAccountedFor(object))
  }

  /// Whether no other thread may hold an object in a register, which a capture does not contain.
  private var hasAllRegisters: Bool { graph.heap.status.threads <= 1 || graph.heap.status.othersAreIdle }

  /// Whether the ledger has every retain of the object.
  private func isAccountedFor(_ object: Int) -> Bool {
    guard let count = graph.capture.objects[object].strongCount,
      let sites = retainSites[UInt32(object)], !sites.contains(where: { $0.stackTrace == 0 })
    else { return false }
    return sites.reduce(0) { $0 + Int($1.retains) - Int($1.releases) } == Int(count)
  }

  private mutating func addOverRetained(_ object: Int, _ holders: HolderSearch) {
    guard !taken[object] else { return }
    taken[object] = true
    let victims = takeVictims(of: [object]) { [graph] target in
      !holders.isReached(target) && !graph.capture.objects[target].isPinned
    }
    let certainty: Finding.Certainty =
      graph.heap.status.missesRoots || graph.conservative[object] > 0 || !hasAllRegisters
      ? .probable : .definite
    groups.append(
      LeakGroup(verdict: .overRetained, certainty: certainty, core: [object], victims: victims))
  }
}
