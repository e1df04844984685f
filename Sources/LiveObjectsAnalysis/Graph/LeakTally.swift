import LiveObjectsCapture

/// Equal leaks: the same types hold each other through the same properties.
struct LeakTally {
  /// The key by which leaks are compared.
  private struct Pattern: Hashable {
    var verdict: Finding.Verdict
    var certainty: Finding.Certainty
    var owner: ObjectOwner
    /// The first type.
    var type: Int
    /// Of an over-retained object, its allocating stack trace; of objects without a test, all stack traces, which may
    /// name one.
    var stackTraces: [UInt32]
    /// Types, labels and functions along the path, which may be as long as the heap is large.
    var steps: Int
  }

  /// One of them, as an example.
  let group: LeakGroup
  /// The object that the leak is named after.
  let start: Int
  /// Once round the cycle; `nil` for an over-retained object.
  let path: ObjectPath?
  /// What breaks the cycle.
  let cuts: Cuts
  private(set) var instances = 0
  private(set) var objects = 0
  private(set) var victims = 0
  /// The number of victims, by index into `Capture.types`.
  private(set) var victimTypes: [Int: Int] = [:]
  /// Cycles among the victims.
  private(set) var innerCycles = 0
  private(set) var bytes: UInt64 = 0
  private(set) var unexplainedRetains = 0
  /// The leaking objects, without victims.
  private(set) var allocations = StackTraceCounts()
  private(set) var retainSites: [RetainSite] = []
  /// Retains in the strong counts that the ledger does not have; 0 without a ledger.
  private(set) var unrecordedRetains = 0
  /// Whether an object or victim is of a user's type, or a closure that nothing shows to be another's.
  private var hasUserType = false
  private var hasLibraryType = false
  private var hasUnknownContainer = false
  /// Whether running code may load a weak reference to one of them, and break its cycle.
  private(set) var isWeaklyReferenced = false
  /// An object to which more references than retains were found.
  private(set) var contradiction: Int?
  private(set) var members: [TestFinding.Object] = []

  static func all(_ leaks: [LeakGroup], in reachability: ReachabilityAnalysis, _ labels: [TypeLabel?])
    -> [LeakTally]
  {
    let graph = reachability.graph
    let order = TypeOrder(labels, of: graph.capture)
    let origins = labels.map(TypeOrigin.init)
    var finder = PathFinder(in: graph)
    var isCore = [Bool](repeating: false, count: graph.count)
    var numbers = Numbering<Pattern>()
    var all: [LeakTally] = []
    for leak in leaks {
      let named = order.best(
        of: naming(leak, reachability.counted), atMost: PathFinder.startLimit, in: graph.capture)
      var path: ObjectPath?
      for object in leak.core { isCore[Int(object)] = true }
      switch leak.verdict {
      case .retainCycle:
        let holds = leak.certainty == .definite ? graph.isStrong : graph.mayHold
        path = finder.cycle(through: named) { isCore[graph.target($0)] && holds($0) }
        // Through memory that the objects have pointers to.
        path = path ?? finder.cycle(through: named) { isCore[graph.target($0)] && graph.mayKeepAlive($0) }
      case .leakedTask: path = finder.cycle(through: named[0], of: leak) { isCore[$0] }
      case .overRetained, .lostBuffer, .heldBy, .growth: break
      }
      for object in leak.core { isCore[Int(object)] = false }
      let start = path?.start ?? leak.firstTask(in: graph) ?? named[0]
      let index = numbers.number(of: pattern(of: leak, start, path, in: reachability))
      if index == all.count {
        let cuts = path.map { CutSearch.cuts(of: leak.core, $0, in: graph, &finder, order) } ?? Cuts()
        all.append(LeakTally(group: leak, start: start, path: path, cuts: cuts))
      }
      all[index].add(leak, in: reachability, origins)
    }
    return all
  }

  /// The objects of the core that the leak may be named after. An old word in a frame may connect a task with one from
  /// before the baseline.
  private static func naming(_ leak: LeakGroup, _ counted: [Bool]) -> [UInt32] {
    let evaluated = leak.verdict == .leakedTask ? leak.core.filter { counted[Int($0)] } : []
    return evaluated.isEmpty ? leak.core : evaluated
  }

  private static func pattern(
    of leak: LeakGroup, _ start: Int, _ path: ObjectPath?, in reachability: ReachabilityAnalysis
  ) -> Pattern {
    let graph = reachability.graph
    let owner = reachability.scope.reportedOwner(for: leak.owner)
    let object = graph.capture.objects[start]
    var steps = Hasher()
    for index in path?.references ?? [] {
      let reference = graph.heap.references[index]
      steps.combine(reference.label)
      steps.combine(reference.function)
      steps.combine(graph.capture.objects[Int(reference.target)].type)
    }
    var stackTraces = path == nil ? [object.stackTrace] : []
    if owner.test == nil, reachability.scope.attribution != nil {
      stackTraces += Set(leak.core.lazy.map { graph.capture.objects[Int($0)].stackTrace }).sorted()
    }
    return Pattern(
      verdict: leak.verdict, certainty: leak.certainty, owner: owner, type: object.type,
      stackTraces: stackTraces, steps: steps.finalize())
  }

  private mutating func add(
    _ leak: LeakGroup, in reachability: ReachabilityAnalysis, _ origins: [TypeOrigin]
  ) {
    let graph = reachability.graph
    instances += 1
    objects += leak.core.count + leak.victims.count
    victims += leak.victims.count
    innerCycles += leak.innerCycles
    bytes.add(saturating: leak.bytesBehind)
    isWeaklyReferenced = isWeaklyReferenced || reachability.isWeaklyReferenced(leak)
    let hasLedger = !reachability.retainSites.isEmpty
    for object in leak.core.lazy.map(Int.init) {
      let allocated = graph.capture.objects[object]
      allocations.add(allocated, weight: graph.capture.tracking.weight(of: allocated))
      let unexplained = graph.unexplained(object) ?? 0
      if unexplained < 0 { contradiction = object }
      if leak.verdict == .overRetained { unexplainedRetains += unexplained }
      if hasLedger, let sites = reachability.retainSites[UInt32(object)] {
        add(sites, of: graph.capture.objects[object])
      }
      add(graph.capture.objects[object], origins)
    }
    for object in leak.victims.lazy.map({ graph.capture.objects[Int($0)] }) {
      add(object, origins)
      victimTypes[object.type, default: 0] += 1
    }
    if reachability.scope.namesMembers { addMembers(of: leak, graph.capture) }
  }

  /// Whether nothing shows that the objects are a library's: containers, and no call that allocated them.
  var mayBeUsers: Bool { hasUserType || (hasUnknownContainer && !hasLibraryType) }

  /// The tasks that nothing can resume: indices into `HeapGraph.tasks`, a few of many.
  func tasks(in graph: ReferenceGraph) -> [Int] {
    guard group.verdict == .leakedTask else { return [] }
    return group.core.lazy.map(Int.init).filter(graph.isSuspendedTask).compactMap(graph.task).sorted()
      .prefix(Self.mostTasks).map { $0 }
  }

  private static let mostTasks = 16

  private mutating func addMembers(of leak: LeakGroup, _ capture: Capture) {
    for (objects, isCore) in [(leak.core, true), (leak.victims, false)] {
      members += objects.map {
        TestFinding.Object(capture.objects[Int($0)], instance: instances - 1, isCore: isCore)
      }
    }
  }

  private mutating func add(_ sites: [RetainSite], of object: LiveObject) {
    retainSites += sites
    let recorded = sites.reduce(0) { $0 + Int($1.retains) - Int($1.releases) }
    if let count = object.strongCount { unrecordedRetains += abs(Int(count) - recorded) }
  }

  private mutating func add(_ object: LiveObject, _ origins: [TypeOrigin]) {
    bytes.add(saturating: object.bytes)
    switch origins[object.type] {
    case .user: hasUserType = true
    case .library: hasLibraryType = true
    case .closure: hasUserType = hasUserType || object.stackTrace == 0
    case .container: hasUnknownContainer = hasUnknownContainer || object.stackTrace == 0
    }
  }
}

/// What a type says about whose its objects are.
private enum TypeOrigin {
  case user
  case library
  /// The call that allocated it says it; without that call it may be the user's.
  case closure
  /// Of the standard library, for anyone.
  case container

  init(_ label: TypeLabel?) {
    switch label?.kind {
    case nil: self = .closure
    case .arrayStorage, .dictionaryStorage, .setStorage, .stringStorage, .dataStorage: self = .container
    default: self = label?.isUserDefined == true ? .user : .library
    }
  }
}

/// The objects that a leak may be named after: the instances of the alphabetically first of the user's types.
/// Other instances come next, objects without a name last.
struct TypeOrder {
  /// By index into `Capture.types`; smaller is better.
  private let ranks: [Int]

  init(_ labels: [TypeLabel?], of capture: Capture) {
    let sorted = labels.indices.sorted { a, b in
      let (first, second) = (Self.group(of: a, labels, capture), Self.group(of: b, labels, capture))
      return (first, Self.text(of: a, labels, capture), a) < (second, Self.text(of: b, labels, capture), b)
    }
    var ranks = [Int](repeating: 0, count: labels.count)
    for (rank, type) in sorted.enumerated() { ranks[type] = rank }
    self.ranks = ranks
  }

  private static func group(of type: Int, _ labels: [TypeLabel?], _ capture: Capture) -> Int {
    guard let label = labels[type], capture.types[type].kind == .classInstance else { return 2 }
    return label.isUserDefined ? 0 : 1
  }

  /// The order of types in a capture differs from run to run: where they have no names, their kind decides.
  private static func text(of type: Int, _ labels: [TypeLabel?], _ capture: Capture) -> String {
    labels[type]?.text ?? ObjectKind(of: capture.types[type]).rawValue
  }

  /// The first objects, in the order of the capture, of the best type among them.
  func best(of objects: [UInt32], atMost limit: Int, in capture: Capture) -> [Int] {
    let best = objects.lazy.map { ranks[capture.objects[Int($0)].type] }.min()
    var first: [Int] = []
    for object in objects.lazy.map(Int.init) where ranks[capture.objects[object].type] == best {
      guard first.count < limit || object < first[limit - 1] else { continue }
      if first.count == limit { first.removeLast() }
      first.insert(object, at: first.firstIndex { object < $0 } ?? first.count)
    }
    return first
  }
}
