import LiveObjectsCapture

/// The holder of each object, the nearest one of the best-known kind of origin, and the path from there.
struct HolderSearch {
  /// The start of a search, best known first.
  enum Origin: Hashable {
    /// Index into `HeapGraph.roots`.
    case variable(root: Int)
    /// An instance of a test case class.
    case testCase
    /// Index into `HeapGraph.tasks`.
    case task(Int)
    /// An object from before the baseline.
    case olderObject
    case handler(root: Int)
    /// A thread's variables, or what it was started with.
    case thread
    case stack, memory

    /// Whether a report may call it the holder. Stacks and C memory contain stale pointers.
    var isNamed: Bool {
      switch self {
      case .testCase, .variable, .task, .olderObject, .handler, .thread: true
      case .stack, .memory: false
      }
    }
  }

  private let graph: ReferenceGraph
  /// See `arrival(at:)`.
  private var arrivals: [Int32]
  private(set) var origins: [Int: Origin] = [:]
  /// Objects in the order in which they were reached: holders come before what they hold.
  private(set) var order: [UInt32] = []
  /// By object: the last object in the first part of the path to it; for shorter paths the length, -1 for 0.
  private var gates: [Int32]
  /// By object: whether all references on the path to it are strong.
  private var isCertain: [Bool]

  /// The number of searched objects in `order`.
  private var next = 0
  /// References to follow where there is no strong one: pointers in objects with a layout come before words
  /// of objects without one, which may be stale.
  private var pointers: [UInt32] = []
  private var words: [UInt32] = []

  /// References that are kept of either end of a path. Every object may have a path of its own, as long as
  /// the heap is large.
  private static let longestEnd = 32

  private static let isOrigin: Int32 = -1
  private static let isUnreached: Int32 = -2

  /// - Parameters:
  ///   - isExcluded: unreachable objects.
  ///   - isOlder: objects that may hold others, and are not evaluated themselves.
  init(in graph: ReferenceGraph, isExcluded: (Int) -> Bool, isOlder: (Int) -> Bool) {
    self.graph = graph
    arrivals = [Int32](repeating: Self.isUnreached, count: graph.count)
    gates = [Int32](repeating: -1, count: graph.count)
    isCertain = [Bool](repeating: true, count: graph.count)
    let roots = Self.roots(of: graph)
    // XCTest's variables lead to all test cases.
    search(from: roots.variables) { isExcluded($0) || graph.isTestCase($0) }
    search(from: Self.testCases(in: graph), isExcluded)
    search(from: Self.tasks(in: graph) { !graph.isSuspendedTask($0) }, isExcluded)
    search(from: roots.handlers, isExcluded)
    search(from: Self.tasks(in: graph, where: graph.isSuspendedTask), isExcluded)
    search(from: Self.olderObjects(in: graph, isOlder), isExcluded)
    searchConservatively(isExcluded)
    search(from: roots.others, isExcluded)
    searchConservatively(isExcluded)
  }

  func isReached(_ object: Int) -> Bool { arrivals[object] != Self.isUnreached }

  /// The reference by which an object was reached; `nil` for the start of a search, and for unreached
  /// objects.
  func arrival(at object: Int) -> Int? { arrivals[object] >= 0 ? Int(arrivals[object]) : nil }

  /// Whether all references on the path to an object are strong.
  func isCertain(_ object: Int) -> Bool { isCertain[object] }

  /// The path from its holder to an object; of a long one the two ends.
  func path(to object: Int) -> (origin: Origin, path: ObjectPath)? {
    guard isReached(object) else { return nil }
    var (references, start) = references(before: object, atMost: 2 * Self.longestEnd)
    if arrival(at: start) != nil {
      references.removeSubrange(Self.longestEnd...)
      let first = self.references(before: Int(gates[object]), atMost: Self.longestEnd)
      (references, start) = (references + first.references, first.start)
    }
    return origins[start].map { ($0, ObjectPath(start: start, references: references.reversed())) }
  }

  /// The last references on the path to an object, the last one first, and where they start.
  private func references(before object: Int, atMost limit: Int) -> (references: [Int], start: Int) {
    var references: [Int] = []
    var start = object
    while references.count < limit, let arrival = arrival(at: start) {
      references.append(arrival)
      start = graph.source(arrival)
    }
    return (references, start)
  }

  private typealias Start = (object: Int, origin: Origin)

  /// Follows strong references, and queues the others.
  private mutating func search(from starts: [Start], _ isExcluded: (Int) -> Bool) {
    for (object, origin) in starts where !isReached(object) && !isExcluded(object) {
      arrivals[object] = Self.isOrigin
      origins[object] = origin
      if case .variable(let root) = origin { isCertain[object] = !graph.heap.roots[root].isDisguised }
      order.append(UInt32(object))
    }
    while next < order.count {
      for reference in graph.references(from: Int(order[next])) {
        let target = graph.target(reference)
        let resumes = graph.isUnmanaged(reference) && graph.mayResume(reference)
        guard resumes || graph.mayKeepAlive(reference) else { continue }
        guard !isReached(target), !isExcluded(target) else { continue }
        if resumes || graph.isStrong(reference) {
          reach(by: reference)
        } else if graph.isConservative(reference) {
          words.append(UInt32(reference))
        } else {
          pointers.append(UInt32(reference))
        }
      }
      next += 1
    }
  }

  /// Follows pointers and words, to objects that no strong reference leads to.
  private mutating func searchConservatively(_ isExcluded: (Int) -> Bool) {
    var (pointer, word) = (0, 0)
    while pointer < pointers.count || word < words.count {
      let isPointer = pointer < pointers.count
      let reference = Int(isPointer ? pointers[pointer] : words[word])
      if isPointer { pointer += 1 } else { word += 1 }
      if !isReached(graph.target(reference)) { reach(by: reference) }
      search(from: [], isExcluded)
    }
    (pointers, words) = ([], [])
  }

  private mutating func reach(by reference: Int) {
    let (source, target) = (graph.source(reference), graph.target(reference))
    arrivals[target] = Int32(reference)
    order.append(UInt32(target))
    isCertain[target] = isCertain[source] && graph.isStrong(reference)
    // Invariant: below zero as long as the path is shorter than its first part may be.
    let isAtGate = gates[source] == Int32(-Self.longestEnd)
    gates[target] = isAtGate ? Int32(target) : gates[source] < 0 ? gates[source] - 1 : gates[source]
  }
}

// MARK: - Where searches start

extension HolderSearch {
  /// A word outside of the heap holds an object only if the object has a retain that no reference explains.
  private static func roots(of graph: ReferenceGraph) -> (
    variables: [Start], handlers: [Start], others: [Start]
  ) {
    var variables: [Start] = []
    var (named, unnamed, held): ([Start], [Start], [Start]) = ([], [], [])
    var others: [Start] = []
    let blocks = graph.heldBlocks
    for (index, root) in graph.heap.roots.enumerated() where isHeldFromOutside(Int(root.target), in: graph) {
      let object = Int(root.target)
      switch root.place {
      // A task that sleeps holds by itself what it uses.
      case .handler where graph.kind(of: object) == .task: break
      case .global: variables.append((object, .variable(root: index)))
      case .handler where ReferenceGraph.HeldBlock(root).map(blocks.contains) ?? false:
        held.append((object, .handler(root: index)))
      case .handler(_, of: nil): unnamed.append((object, .handler(root: index)))
      case .handler: named.append((object, .handler(root: index)))
      case .threadLocal: named.append((object, .thread))
      case .stack: others.append((object, .stack))
      case .cMemory: others.append((object, .memory))
      }
    }
    // What an object of the heap holds is better called after that object.
    return (variables, named + unnamed, held + others)
  }

  private static func isHeldFromOutside(_ object: Int, in graph: ReferenceGraph) -> Bool {
    graph.kind(of: object) == .rawBuffer || graph.capture.objects[object].isPinned
      || graph.unexplained(object).map { $0 > 0 } ?? true
  }

  private static func testCases(in graph: ReferenceGraph) -> [Start] {
    (0..<graph.count).filter(graph.isTestCase).map { ($0, .testCase) }
  }

  /// A task that is not complete retains itself.
  private static func tasks(in graph: ReferenceGraph, where isWanted: (Int) -> Bool) -> [Start] {
    graph.heap.tasks.enumerated().filter { $0.element.state != .complete && isWanted(Int($0.element.object)) }
      .map { (Int($0.element.object), .task($0.offset)) }
  }

  private static func olderObjects(in graph: ReferenceGraph, _ isOlder: (Int) -> Bool) -> [Start] {
    (0..<graph.count).filter { isOlder($0) && graph.unexplained($0).map { $0 > 0 } ?? false }
      .map { ($0, .olderObject) }
  }
}
