import LiveObjectsCapture

/// The names that paths need from a symbolicator, of closures, variables and tasks, requested in one go.
struct PathNames {
  private(set) var functions: [UInt32: SourceFrame] = [:]
  private(set) var variables: [Frame: String] = [:]
  /// The names by index into `HeapGraph.tasks`.
  private(set) var tasks: [Int: String] = [:]

  /// The frames that have these names.
  static func frames(
    _ functions: Set<UInt32>, _ origins: Set<HolderSearch.Origin>, in graph: ReferenceGraph
  ) -> Set<Frame> {
    Set(functions.map { graph.heap.functions[Int($0)] })
      .union(
        tasks(among: origins).flatMap {
          graph.heap.tasks[$0].frames + [closure(of: $0, in: graph)].compactMap { $0 }
        })
  }

  /// References of a task and of its closure that are examined: other tasks may have the same closure.
  private static let mostCaptures = 256

  /// The function that a task was created with. A task that has not run yet would resume in the runtime's own
  /// code.
  private static func closure(of task: Int, in graph: ReferenceGraph) -> Frame? {
    let own = graph.references(from: Int(graph.heap.tasks[task].object)).prefix(mostCaptures).first {
      graph.heap.labels[Int(graph.heap.references[$0].label)].kind == .taskClosure
    }
    guard let own else { return nil }
    // The runtime is mostly given a thunk, whose context refers to the closure that was written.
    let references = [own] + graph.references(from: graph.target(own)).prefix(mostCaptures)
    return references.lazy.compactMap { graph.heap.references[$0].function }.first
      .map { graph.heap.functions[Int($0)] }
  }

  private static func tasks(among origins: Set<HolderSearch.Origin>) -> [Int] {
    origins.compactMap { if case .task(let index) = $0 { index } else { nil } }
  }

  init(
    _ wanted: Set<UInt32>, _ origins: Set<HolderSearch.Origin>, of graph: ReferenceGraph,
    symbolicator: some Symbolicator
  ) {
    let capture = graph.capture
    let frames = Self.frames(wanted, origins, in: graph)
    let named = frames.isEmpty ? [:] : symbolicator.symbolicate(frames, of: capture)
    for function in wanted {
      // The outermost frame is the function itself, the others were inlined into it.
      functions[function] = named[graph.heap.functions[Int(function)]]?.last
    }
    for index in Self.tasks(among: origins) {
      let frames = graph.heap.tasks[index].frames.compactMap { named[$0]?.last }
      let closure = Self.closure(of: index, in: graph).flatMap { named[$0]?.last }
      let function = frames.first(where: \.isUserCode) ?? closure ?? frames.first { !$0.isConcurrencyRuntime }
      tasks[index] = function?.qualifiedFunction
    }
    let places = Set(origins.compactMap { Self.variable($0, in: graph) })
    variables = places.isEmpty ? [:] : symbolicator.name(variables: places, of: capture)
  }

  private static func variable(_ origin: HolderSearch.Origin, in graph: ReferenceGraph) -> Frame? {
    guard case .variable(let root) = origin, case .global(let place) = graph.heap.roots[root].place else {
      return nil
    }
    return place
  }
}

extension SourceFrame {
  /// Whether the frame is C++ code that runs tasks, and says nothing to a user.
  fileprivate var isConcurrencyRuntime: Bool { origin == .runtime || module.hasPrefix("libswift") }
}
