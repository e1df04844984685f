import LiveObjectsCapture

/// The names that paths need from a symbolicator: of closures, variables and tasks. All are asked for in one go.
struct PathNames {
  private(set) var functions: [UInt32: SourceFrame] = [:]
  private(set) var variables: [Frame: String] = [:]
  /// By index into `HeapGraph.tasks`.
  private(set) var tasks: [Int: String] = [:]

  init(
    functions wanted: Set<UInt32>, origins: Set<HolderSearch.Origin>, of graph: ReferenceGraph,
    symbolicator: some Symbolicator
  ) {
    let capture = graph.capture
    let taskIndices = origins.compactMap { if case .task(let index) = $0 { index } else { nil } }
    let frames = Set(wanted.map { graph.heap.functions[Int($0)] })
      .union(taskIndices.flatMap { graph.heap.tasks[$0].frames })
    let named = frames.isEmpty ? [:] : symbolicator.symbolicate(frames, of: capture)
    for function in wanted {
      // The outermost frame is the function itself, the others were inlined into it.
      functions[function] = named[graph.heap.functions[Int(function)]]?.last
    }
    for index in taskIndices {
      let frames = graph.heap.tasks[index].frames.compactMap { named[$0]?.last }
      tasks[index] = (frames.first(where: \.isUsers) ?? frames.first)?.qualifiedFunction
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
