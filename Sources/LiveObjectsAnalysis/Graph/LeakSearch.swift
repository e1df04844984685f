import LiveObjectsCapture

/// A group of unreachable, connected objects.
struct LeakGroup {
  var verdict: Finding.Verdict
  /// What may refute the verdict.
  var doubts: Set<Doubt>
  /// The objects that hold each other, or the one with too many retains.
  var core: [UInt32]
  /// Other objects that only the core keeps alive.
  var victims: [UInt32]
  /// Cycles among the victims: they leak by themselves if the core's is broken by a weak reference.
  var innerCycles = 0
  /// Bytes of raw buffers and blocks that the objects alone point to.
  var bytesBehind: UInt64 = 0
  /// The test that left the objects behind.
  var owner = ObjectOwner.unattributed

  var certainty: Finding.Certainty { Finding.Certainty(doubts) }

  var objects: [UInt32] { core + victims }

  /// The first task that nothing can resume, in the order of the capture.
  func firstTask(in graph: ReferenceGraph) -> Int? {
    verdict == .leakedTask ? core.lazy.map(Int.init).filter(graph.isSuspendedTask).min() : nil
  }

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
  /// By object: whether it may hold others without being evaluated itself.
  private let older: [Bool]
  var taken: [Bool]
  var groups: [LeakGroup] = []

  init(in graph: ReferenceGraph, _ isolation: Isolation, older: [Bool]) {
    self.graph = graph
    self.isolation = isolation
    self.older = older
    retainSites = Dictionary(grouping: graph.heap.retainSites, by: \.object)
    taken = [Bool](repeating: false, count: graph.count)
    findCycles(.definitely, [], follows: graph.isStrong)
    findCycles(.probably, [.conservativeReferences], follows: graph.mayHold)
    findWaitingTasks()
  }

  private mutating func findCycles(
    _ state: Isolation.State, _ doubts: Set<Doubt>, follows: (Int) -> Bool
  ) {
    let isolation = isolation
    guard isolation.states.contains(state) else { return }
    let components = StronglyConnectedComponents(
      in: graph, isPart: { isolation[$0] == state }, follows: follows)
    // Holders have greater numbers than what they hold.
    for number in (0..<components.count).reversed() where !components.isHeld[number] {
      let core = components[number]
      let first = Int(core[core.startIndex])
      guard !taken[first], core.count > 1 || refersToItself(first, follows) else { continue }
      addGroup(core, .retainCycle, doubts, follows: graph.mayHold)
      groups[groups.count - 1].innerCycles = innerCycles(components, follows)
    }
  }

  /// The cycles among the victims of the last group.
  private func innerCycles(_ components: StronglyConnectedComponents, _ follows: (Int) -> Bool) -> Int {
    var found: Set<Int> = []
    for victim in groups[groups.count - 1].victims.lazy.map(Int.init) {
      guard let number = components.component(of: victim),
        components[number].count > 1 || refersToItself(victim, follows)
      else { continue }
      found.insert(number)
    }
    return found.count
  }

  /// Finds the tasks that nothing can resume. Those that wait for each other are one group, named after all of it.
  /// A cycle that has all of its retains is a group too: the memory of a task may have stale words that seem to hold
  /// it, and it leaks even if the task is resumed.
  private mutating func findWaitingTasks() {
    let isolation = isolation
    guard isolation.states.contains(.waiting) else { return }
    let follows = { [graph] reference in graph.mayHold(reference) || graph.mayResume(reference) }
    let components = StronglyConnectedComponents(
      in: graph, isPart: { isolation[$0] == .waiting }, follows: follows)
    let cores = (0..<components.count).reversed().lazy.map { components[$0] }
    for core in cores where hasAllRetains(core) {
      addGroup(core, .retainCycle, [.conservativeReferences], follows: follows)
    }
    for core in cores {
      let tasks = core.lazy.map(Int.init).filter(graph.isSuspendedTask)
      guard let first = tasks.first, !taken[first] else { continue }
      let doubts = isolation.doubts(onWaiting: tasks, in: graph)
      addGroup(core, .leakedTask, doubts, follows: follows)
    }
  }

  private mutating func addGroup(
    _ core: some BidirectionalCollection<UInt32>, _ verdict: Finding.Verdict, _ doubts: Set<Doubt>,
    follows: (Int) -> Bool
  ) {
    for object in core { taken[Int(object)] = true }
    let victims = takeVictims(of: core, follows: follows) { [graph, isolation] object in
      isolation[object] != .held && !graph.capture.objects[object].isPinned
    }
    groups.append(LeakGroup(verdict: verdict, doubts: doubts, core: Array(core), victims: victims))
  }

  /// Whether several objects hold each other, and the references between them account for all of their retains. Raw
  /// memory has none.
  private func hasAllRetains(_ core: some RandomAccessCollection<UInt32>) -> Bool {
    guard core.count > 1, !taken[Int(core[core.startIndex])] else { return false }
    let objects = Set(core.lazy.map(Int.init))
    if objects.contains(where: graph.isSuspendedTask) { return false }
    var references: [Int: Int] = [:]
    for reference in objects.lazy.flatMap(graph.references(from:)) where graph.mayHold(reference) {
      references[graph.target(reference), default: 0] += 1
    }
    return objects.allSatisfy { object in
      if graph.kind(of: object) == .rawBuffer { return true }
      return graph.capture.objects[object].strongCount.map { references[object, default: 0] >= $0 } ?? false
    }
  }

  private func refersToItself(_ object: Int, _ follows: (Int) -> Bool) -> Bool {
    graph.references(from: object).contains { follows($0) && graph.target($0) == object }
  }

  /// Takes all objects reachable from the core that no group has yet.
  ///
  /// Objects from before the baseline may have old words that equal the addresses of newer ones: they take others by
  /// strong references only. Otherwise they would be reported once more, as what keeps a new object alive.
  private mutating func takeVictims(
    of core: some BidirectionalCollection<UInt32>, follows: (Int) -> Bool, _ isVictim: (Int) -> Bool
  ) -> [UInt32] {
    let isOlder = core.allSatisfy { older[Int($0)] }
    return graph.objects(reachedFrom: core) { reference in
      let target = graph.target(reference)
      guard follows(reference), !taken[target], isVictim(target), !isOlder || graph.isStrong(reference) else {
        return false
      }
      taken[target] = true
      return true
    }
  }
}

extension LeakSearch {
  /// Finds lost memory, with the objects that only pointers in it retain, and unreachable objects with more retains than
  /// references.
  mutating func findOverRetained(_ holders: HolderSearch) {
    let isLeft = { [graph, taken] in !taken[$0] && Self.isUnreachable($0, in: graph, holders) }
    guard (0..<graph.count).contains(where: isLeft) else { return }
    for index in groups.indices { addRetainedByPointer(toGroup: index, holders) }
    let candidates = overRetained(holders)
    findCyclesThroughMemory(among: candidates.objects, candidates.components, holders)
    for buffer in graph.heap.lostBuffers.map(Int.init).sorted(by: isOlder)
    where graph.kind(of: buffer) == .rawBuffer {
      addUnreachable(buffer, .lostBuffer, holders)
    }
    for object in candidates.objects { addUnreachable(object, .overRetained, holders) }
  }

  /// The order of allocation does not depend on where objects lie in memory.
  private func isOlder(_ object: Int, than other: Int) -> Bool {
    graph.capture.objects[object].sequence < graph.capture.objects[other].sequence
  }

  /// Finds objects that hold each other through memory that they have allocated, such as that of an
  /// `UnsafeMutablePointer`: words in it account for all retains of theirs.
  private mutating func findCyclesThroughMemory(
    among candidates: [Int], _ components: StronglyConnectedComponents?, _ holders: HolderSearch
  ) {
    guard let components else { return }
    let numbers = Set(candidates.compactMap(components.component)).sorted(by: >)
    for core in numbers.map({ components[$0] }) where hasMemory(core) && hasAllRetains(core) {
      addUnreachable(core, .retainCycle, doubtsOnRetains.union([.conservativeReferences]), holders)
    }
  }

  private func hasMemory(_ core: some Sequence<UInt32>) -> Bool {
    core.contains { graph.kind(of: Int($0)) == .rawBuffer }
  }

  /// What may refute that nothing but references holds an object.
  private var doubtsOnRetains: Set<Doubt> {
    Doubt.all(on: graph.heap.status).subtracting([.unreadObject]).union([.search])
  }

  /// Objects that another one keeps alive come after it: they are its victims. Objects that keep one another alive, which
  /// are components, come in the order of their allocation.
  private func overRetained(_ holders: HolderSearch) -> (
    objects: [Int], components: StronglyConnectedComponents?
  ) {
    let objects = (0..<graph.count).filter { isOverRetained($0, holders) }
    guard !objects.isEmpty else { return ([], nil) }
    let components = StronglyConnectedComponents(
      in: graph, isPart: { Self.isUnreachable($0, in: graph, holders) }, follows: graph.mayKeepAlive)
    let component = { components.component(of: $0) ?? 0 }
    return (
      objects.sorted {
        component($0) == component($1) ? isOlder($0, than: $1) : component($0) > component($1)
      },
      components
    )
  }

  /// Adds what only a group keeps by pointers, in memory of its own too. It is released with the group.
  private mutating func addRetainedByPointer(toGroup index: Int, _ holders: HolderSearch) {
    groups[index].victims += takeUnreachableVictims(of: groups[index].objects, holders)
  }

  /// Raw buffers are not counted: those behind a pointer may be the runtime's own, such as side tables. Lost ones are
  /// leaks of their own: what leads from one to another may be a word that was never initialised.
  private mutating func takeUnreachableVictims(
    of core: some BidirectionalCollection<UInt32>, _ holders: HolderSearch
  ) -> [UInt32] {
    // Captures no `self`: a second reference to `taken` would copy it for each group.
    takeVictims(of: core, follows: graph.mayKeepAlive) { [graph] in
      Self.isUnreachable($0, in: graph, holders) && !graph.isLost($0)
    }
    .filter { graph.kind(of: Int($0)) != .rawBuffer }
  }

  /// Takes objects that leaked before, with their victims, whatever seems to hold them now.
  mutating func take(_ leaked: [Int], _ holders: HolderSearch) {
    for object in leaked { addUnreachable(object, .overRetained, holders) }
  }

  private static func isUnreachable(
    _ object: Int, in graph: ReferenceGraph, _ holders: HolderSearch
  ) -> Bool {
    !holders.isReached(object) && !graph.capture.objects[object].isPinned
  }

  private func isOverRetained(_ object: Int, _ holders: HolderSearch) -> Bool {
    guard isolation[object] == .held, Self.isUnreachable(object, in: graph, holders),
      graph.kind(of: object) != .task, let unexplained = graph.unexplained(object)
    else { return false }
    return unexplained > 0
  }

  private mutating func addUnreachable(_ object: Int, _ verdict: Finding.Verdict, _ holders: HolderSearch) {
    if !taken[object] { addUnreachable([UInt32(object)], verdict, doubtsOnRetains, holders) }
  }

  private mutating func addUnreachable(
    _ core: some BidirectionalCollection<UInt32>, _ verdict: Finding.Verdict, _ doubts: Set<Doubt>,
    _ holders: HolderSearch
  ) {
    for object in core { taken[Int(object)] = true }
    let victims = takeUnreachableVictims(of: core, holders)
    groups.append(LeakGroup(verdict: verdict, doubts: doubts, core: Array(core), victims: victims))
  }
}
