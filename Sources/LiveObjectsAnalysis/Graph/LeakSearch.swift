import LiveObjectsCapture

/// A group of unreachable, connected objects.
struct LeakGroup {
  var verdict: Finding.Verdict
  var certainty: Finding.Certainty
  /// The objects that hold each other, or the one with too many retains.
  var core: [Int]
  /// Other objects that only the core keeps alive.
  var victims: [Int]
  /// The test that left the objects behind.
  var owner = ObjectOwner.unattributed

  func attributed(to owner: ObjectOwner) -> LeakGroup {
    var group = self
    group.owner = owner
    return group
  }
}

/// Finds the groups of unreachable objects, each with its victims.
struct LeakSearch {
  let graph: ReferenceGraph
  let isolation: Isolation
  /// Retains and releases from the ledger, by object.
  let retainSites: [UInt32: [RetainSite]]
  var taken: [Bool]
  var groups: [LeakGroup] = []

  init(in graph: ReferenceGraph, _ isolation: Isolation) {
    self.graph = graph
    self.isolation = isolation
    retainSites = Dictionary(grouping: graph.heap.retainSites, by: \.object)
    taken = [Bool](repeating: false, count: graph.count)
    findCycles(.definitely, .definite, follows: graph.isStrong)
    findCycles(.probably, .probable, follows: graph.mayHold)
  }

  private mutating func findCycles(
    _ state: Isolation.State, _ certainty: Finding.Certainty, follows: (Int) -> Bool
  ) {
    let isolation = isolation
    let components = StronglyConnectedComponents(
      in: graph, isPart: { isolation[$0] == state }, follows: follows)
    let isHeld = held(components, follows: follows)
    // Holders have greater numbers than what they hold.
    for number in (0..<components.count).reversed() where !isHeld[number] {
      let core = components[number].lazy.map(Int.init)
      guard let first = core.first, !taken[first], core.count > 1 || refersToItself(first, follows) else {
        continue
      }
      for object in core { taken[object] = true }
      groups.append(
        LeakGroup(
          verdict: .retainCycle, certainty: certainty, core: Array(core),
          victims: takeVictims(of: core) { [graph] object in
            isolation[object] != .held && !graph.capture.objects[object].isPinned
          }))
    }
  }

  /// By component: whether another one refers to it.
  private func held(_ components: StronglyConnectedComponents, follows: (Int) -> Bool) -> [Bool] {
    var held = [Bool](repeating: false, count: components.count)
    for reference in graph.heap.references.indices where follows(reference) {
      guard let source = components.component(of: graph.source(reference)),
        let target = components.component(of: graph.target(reference)), source != target
      else { continue }
      held[target] = true
    }
    return held
  }

  private func refersToItself(_ object: Int, _ follows: (Int) -> Bool) -> Bool {
    graph.references(from: object).contains { follows($0) && graph.target($0) == object }
  }

  /// Takes all objects reachable from the core that no group has yet.
  mutating func takeVictims(of core: some Collection<Int>, _ isVictim: (Int) -> Bool) -> [Int] {
    var victims: [Int] = []
    var open = core.map(UInt32.init)
    while let object = open.popLast() {
      for reference in graph.references(from: Int(object)) where graph.mayHold(reference) {
        let target = graph.target(reference)
        guard !taken[target], isVictim(target) else { continue }
        taken[target] = true
        victims.append(target)
        open.append(UInt32(target))
      }
    }
    return victims
  }
}
