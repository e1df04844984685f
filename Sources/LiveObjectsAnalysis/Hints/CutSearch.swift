import LiveObjectsCapture

/// A place in the source that makes references of a cycle: a change there cuts all of them.
enum Cut: Hashable {
  /// An object that a closure captures.
  case capture(function: UInt32, label: UInt32?)
  /// A variable that a closure captures and that holds an object.
  case variable(function: UInt32, label: UInt32)
  /// A stored property, by the type that declares it. A struct may be in several places.
  case property(type: String, name: String)
  /// The object of `assign(to:on:)`, by the type of the subscriber.
  case assignment(type: Int)
  /// An element of a collection, an enum, or another value of a type, which cannot be declared weak.
  case value(type: Int, label: UInt32)

  /// The closure's function, as an index into `HeapGraph.functions`.
  var function: UInt32? {
    switch self {
    case .capture(let function, _), .variable(let function, _): function
    case .property, .assignment, .value: nil
    }
  }

  /// The type of the subscriber of `assign(to:on:)`.
  var assignment: Int? {
    if case .assignment(let type) = self { return type }
    return nil
  }

  /// Whether the object is held for a closure or an assignment, which could refer to it weakly.
  var isCapture: Bool {
    switch self {
    case .capture, .variable, .assignment: true
    case .property, .value: false
    }
  }

  var isValue: Bool {
    if case .value = self { return true }
    return false
  }
}

/// The cuts that break a leaked cycle.
struct Cuts {
  /// A cut on the cycle's path.
  struct OnPath {
    var cut: Cut
    /// Index into the path's references.
    var position: Int
    /// The objects that nothing of the cycle holds any more: they have to be held from outside.
    var heads: [Int] = []
  }

  /// Cuts of which each breaks the cycle by itself, and every other cycle among its objects.
  var single: [OnPath] = []
  /// Captures and assignments that break all cycles together, where none does so by itself.
  var together: [OnPath] = []
  /// A cycle that shares no reference with the path, where none of the above breaks all cycles.
  var other: OtherCycle?

  var functions: some Sequence<UInt32> {
    let pairs = other?.pairs ?? []
    return (single + together + pairs.flatMap { [$0.first, $0.second] }).lazy.compactMap(\.cut.function)
  }

  /// A second cycle among the objects of a leak.
  struct OtherCycle {
    var path: ObjectPath
    /// A cut of each of the two paths, which together break every cycle.
    var pairs: [(first: OnPath, second: OnPath)]
  }
}

/// Finds the cuts of a leaked cycle.
///
/// A cut breaks a leak only if no cycle is left among the objects that hold each other: an object whose two
/// closures both capture it still leaks when one of them no longer does.
struct CutSearch {
  private struct Edge {
    var source: Int
    var target: Int
    var cut: Cut?
    /// Index into `HeapGraph.references`.
    var reference: Int
  }

  /// Larger groups consist of many cycles, of which a report shows one.
  private static let mostObjects = 1 << 12
  /// Cuts that a hint may name.
  private static let most = 4

  private let graph: ReferenceGraph
  private let core: [UInt32]
  /// The references between the objects that hold each other, which are numbered from 0; those of a pipeline have one
  /// number.
  private var edges: [Edge] = []

  /// - Parameter order: the objects that another cycle begins with.
  static func cuts(
    of core: [UInt32], _ path: ObjectPath, in graph: ReferenceGraph, _ finder: inout PathFinder,
    _ order: TypeOrder
  ) -> Cuts {
    guard core.count <= mostObjects else { return Cuts() }
    let search = CutSearch(core, in: graph)
    var cuts = search.cuts(on: path)
    if cuts.single.allSatisfy(\.cut.isValue) && cuts.together.isEmpty {
      cuts.other = search.otherCycle(than: path, &finder, order)
    }
    return cuts
  }

  private init(_ core: [UInt32], in graph: ReferenceGraph) {
    self.graph = graph
    self.core = core
    let pipelines = SubscriptionPipelines(among: core, in: graph)
    let numbers = pipelines.numbers(of: core)
    for (object, number) in numbers {
      for reference in graph.references(from: object) where graph.mayHold(reference) {
        guard let target = numbers[graph.target(reference)], !isDroppedWithModel(reference),
          !pipelines.contain(reference)
        else { continue }
        edges.append(Edge(source: number, target: target, reference: reference))
      }
    }
    let closures = closures
    for index in edges.indices { edges[index].cut = cut(at: edges[index].reference, closures) }
  }

  /// Whether an observation refers to its own registrar's state, which drops all observations when the model goes.
  private func isDroppedWithModel(_ reference: Int) -> Bool {
    let (source, target) = (type(of: graph.source(reference)), type(of: graph.target(reference)))
    return source.name.hasSuffix("Observation.ObservationTracking.Entry>")
      && target.name.hasPrefix("Observation._ManagedCriticalState<Observation.ObservationRegistrar.")
  }

  private func type(of object: Int) -> TypeDescription {
    graph.capture.types[graph.capture.objects[object].type]
  }

  private func cuts(on path: ObjectPath) -> Cuts {
    let onPath = cutsOnPath(path)
    // A property of several objects on the path links a list, which needs it.
    let counts = Dictionary(onPath.map { ($0.cut, 1) }, uniquingKeysWith: +)
    let single = onPath.filter { counts[$0.cut] == 1 && isAcyclic(without: [$0.cut]) }.map { onPath in
      Cuts.OnPath(cut: onPath.cut, position: onPath.position, heads: heads(without: [onPath.cut]))
    }
    let hasCapture = single.contains { $0.cut.isCapture }
    return Cuts(single: single, together: hasCapture ? [] : together(onPath, path))
  }

  private func cutsOnPath(_ path: ObjectPath) -> [Cuts.OnPath] {
    let cuts = Dictionary(edges.lazy.map { ($0.reference, $0.cut) }) { first, _ in first }
    return path.references.enumerated().compactMap { position, reference in
      (cuts[reference] ?? nil).map { Cuts.OnPath(cut: $0, position: position) }
    }
  }

  private func together(_ onPath: [Cuts.OnPath], _ path: ObjectPath) -> [Cuts.OnPath] {
    onPath.lazy.filter(\.cut.isCapture).map { captures(like: $0, path) }.first { !$0.isEmpty } ?? []
  }

  /// All captures and assignments of the object that one of the path's closures captures, if they break all cycles.
  private func captures(like first: Cuts.OnPath, _ path: ObjectPath) -> [Cuts.OnPath] {
    let captured = graph.target(path.references[first.position])
    let captures = Set(
      edges.lazy.filter { graph.target($0.reference) == captured }.compactMap(\.cut).filter(\.isCapture))
    guard captures.count <= Self.most, isAcyclic(without: captures) else { return [] }
    let others = captures.subtracting([first.cut]).sorted { ($0.function ?? 0) < ($1.function ?? 0) }
    return ([first.cut] + others).map {
      Cuts.OnPath(cut: $0, position: first.position, heads: heads(without: captures))
    }
  }

  private func isAcyclic(without cuts: Set<Cut>) -> Bool { cyclic(in: kept(without: cuts)).isEmpty }

  private func kept(without cuts: Set<Cut>) -> [Edge] {
    edges.filter { $0.cut.map { !cuts.contains($0) } ?? true }
  }

  private func heads(without cuts: Set<Cut>) -> [Int] {
    let held = Set(kept(without: cuts).map(\.target))
    let heads = Set(edges.lazy.filter { $0.cut.map(cuts.contains) ?? false }.map(\.target))
    return heads.subtracting(held).sorted().map { Int(core[$0]) }
  }

  /// Removes objects without references to others, over and over.
  ///
  /// - Returns: those that remain: they are on a cycle, or lead to one.
  private func cyclic(in kept: [Edge]) -> [Int] {
    let holders = Dictionary(grouping: kept, by: \.target)
    var references = [Int](repeating: 0, count: core.count)
    for edge in kept { references[edge.source] += 1 }
    var open = references.indices.filter { references[$0] == 0 }
    while let object = open.popLast() {
      for edge in holders[object] ?? [] {
        references[edge.source] -= 1
        if references[edge.source] == 0 { open.append(edge.source) }
      }
    }
    return references.indices.filter { references[$0] > 0 }
  }
}

// MARK: - A second cycle

extension CutSearch {
  private func otherCycle(
    than path: ObjectPath, _ finder: inout PathFinder, _ order: TypeOrder
  ) -> Cuts.OtherCycle? {
    let used = Set(path.references)
    let rest = edges.filter { !used.contains($0.reference) && graph.isStrong($0.reference) }
    let follows = Set(rest.map(\.reference))
    let objects = cyclic(in: rest).map { core[$0] }
    // Those of the best type may lead to a cycle without being on one.
    let best = order.best(of: objects, atMost: PathFinder.startLimit, in: graph.capture)
    let starts = best + objects.lazy.map(Int.init).filter { !best.contains($0) }.prefix(PathFinder.startLimit)
    let cycles = starts.compactMap { start in
      finder.path(from: start, to: start, following: PathFinder.referenceLimit) { follows.contains($0) }
    }
    // The first of the shortest.
    return cycles.min { $0.references.count < $1.references.count }.map {
      let other = rotated($0, toAnObjectOf: path)
      return Cuts.OtherCycle(path: other, pairs: pairs(path, other))
    }
  }

  /// The cycle from the object where it meets another one; itself if they do not meet.
  private func rotated(_ cycle: ObjectPath, toAnObjectOf other: ObjectPath) -> ObjectPath {
    let objects = Set(other.references.map(graph.source))
    guard let first = cycle.references.firstIndex(where: { objects.contains(graph.source($0)) }) else {
      return cycle
    }
    return ObjectPath(
      start: graph.source(cycle.references[first]),
      references: Array(cycle.references[first...] + cycle.references[..<first]))
  }

  private func pairs(_ path: ObjectPath, _ other: ObjectPath) -> [(first: Cuts.OnPath, second: Cuts.OnPath)] {
    let (first, second) = (cutsOnPath(path), cutsOnPath(other))
    guard first.count * second.count <= Self.most * Self.most else { return [] }
    return first.flatMap { one in
      second.filter { isAcyclic(without: [one.cut, $0.cut]) }.map { two in
        let heads = heads(without: [one.cut, two.cut])
        return (
          first: Cuts.OnPath(cut: one.cut, position: one.position, heads: heads),
          second: Cuts.OnPath(cut: two.cut, position: two.position, heads: heads)
        )
      }
    }
  }
}

// MARK: - Where references are written

extension CutSearch {
  /// The function of each closure's context. One that several functions share has none.
  private var closures: [Int: UInt32] {
    var functions: [Int: UInt32?] = [:]
    for edge in edges {
      let reference = graph.heap.references[edge.reference]
      guard let function = reference.function, isContext(Int(reference.target)) else { continue }
      let known = functions[Int(reference.target), default: function]
      functions[Int(reference.target)] = .some(known == function ? function : nil)
    }
    return functions.compactMapValues { $0 }
  }

  private func cut(at index: Int, _ closures: [Int: UInt32]) -> Cut? {
    let reference = graph.heap.references[index]
    // The captures of a block of C code are guessed, its code is known.
    guard graph.isStrong(index) || reference.function != nil else { return nil }
    let (source, target) = (Int(reference.source), Int(reference.target))
    if let function = reference.function {
      guard isContext(target) else { return .capture(function: function, label: nil) }
      // The context of a closure that captures nothing but its own variable is that variable.
      return source == target ? .variable(function: function, label: reference.label) : nil
    }
    let label = graph.heap.labels[Int(reference.label)]
    if let declaration = label.declaration, label.kind != .capture {
      return .property(type: declaration.type, name: label.property)
    }
    switch label.kind {
    case .objectProperty: return .property(type: type(of: source).name, name: label.text)
    case .property where SubscriptionPipelines.isAssignment(type(of: source).name):
      return .assignment(type: graph.capture.objects[source].type)
    case .capture:
      guard let function = closures[source] else { return nil }
      if isVariable(target) { return .variable(function: function, label: reference.label) }
      return isInstance(target) ? .capture(function: function, label: reference.label) : nil
    default:
      return isInstance(target)
        ? .value(type: graph.capture.objects[source].type, label: reference.label) : nil
    }
  }

  private func isContext(_ object: Int) -> Bool { graph.kind(of: object) == .closureContextOrBox }

  private func isVariable(_ object: Int) -> Bool {
    isContext(object) || graph.kind(of: object) == .genericBox
  }

  private func isInstance(_ object: Int) -> Bool {
    ObjectKind(of: type(of: object)).isInstance
  }
}
