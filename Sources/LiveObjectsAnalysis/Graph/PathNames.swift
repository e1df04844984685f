import LiveObjectsCapture

/// The names that paths need from a symbolicator, of closures, variables and tasks, requested in one go.
struct PathNames {
  /// The items on paths that have such names.
  struct Wanted {
    /// Indices into `HeapGraph.functions`.
    var functions: Set<UInt32> = []
    var origins: Set<HolderSearch.Origin> = []
    /// Indices into `HeapGraph.tasks`.
    var tasks: Set<Int> = []

    init(
      on paths: [ObjectPath], origins: Set<HolderSearch.Origin>, tasks: Set<Int>, functions: Set<UInt32>,
      in graph: ReferenceGraph
    ) {
      self.origins = origins
      self.functions = functions
      self.tasks = tasks.union(origins.compactMap { if case .task(let index) = $0 { index } else { nil } })
      for path in paths {
        if let task = graph.task(of: path.start) { self.tasks.insert(task) }
        for reference in path.references {
          if let function = graph.heap.references[reference].function { self.functions.insert(function) }
          if let task = graph.task(of: graph.target(reference)) { self.tasks.insert(task) }
        }
      }
    }

    func frames(in graph: ReferenceGraph) -> Set<Frame> {
      Set(functions.map { graph.heap.functions[Int($0)] })
        .union(origins.compactMap { PathNames.handler($0, in: graph) })
        .union(
          tasks.flatMap {
            graph.heap.tasks[$0].frames + [PathNames.closure(of: $0, in: graph)].compactMap { $0 }
          })
    }
  }

  /// By index into `HeapGraph.functions`.
  private(set) var functions: [UInt32: SourceFrame] = [:]
  private(set) var variables: [Frame: String] = [:]
  /// The closures that libraries call.
  private(set) var handlers: [Frame: SourceFrame] = [:]
  /// By index into `HeapGraph.tasks`.
  private(set) var tasks: [Int: TaskName] = [:]

  init(_ wanted: Wanted, of graph: ReferenceGraph, symbolicator: some Symbolicator) {
    let capture = graph.capture
    let frames = wanted.frames(in: graph)
    let named = frames.isEmpty ? [:] : symbolicator.symbolicate(frames, of: capture)
    for function in wanted.functions {
      // The outermost frame is the function itself, the others were inlined into it.
      functions[function] = named[graph.heap.functions[Int(function)]]?.last
    }
    for index in wanted.tasks {
      let frames = graph.heap.tasks[index].frames.compactMap { named[$0]?.last }
      tasks[index] = TaskName(frames, closure: Self.closure(of: index, in: graph).flatMap { named[$0]?.last })
    }
    for code in wanted.origins.compactMap({ Self.handler($0, in: graph) }) {
      handlers[code] = named[code]?.last
    }
    let places = Set(wanted.origins.compactMap { Self.variable($0, in: graph) })
    variables = places.isEmpty ? [:] : symbolicator.name(variables: places, of: capture)
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

  private static func handler(_ origin: HolderSearch.Origin, in graph: ReferenceGraph) -> Frame? {
    guard case .handler(let root) = origin, case .handler(let code, _) = graph.heap.roots[root].place else {
      return nil
    }
    return code
  }

  private static func variable(_ origin: HolderSearch.Origin, in graph: ReferenceGraph) -> Frame? {
    guard case .variable(let root) = origin, case .global(let place) = graph.heap.roots[root].place else {
      return nil
    }
    return place
  }
}

/// The function of a task that has not ended, and the place where it is suspended.
struct TaskName {
  /// `nil` where no function is known.
  let function: String?
  /// The program's own function in which it is suspended.
  let frame: SourceFrame?
  /// `Model.swift:12`; empty where it is not known.
  let place: String
  let suspension: Suspension

  /// Whether it runs code of another package only.
  var isOfPackage: Bool { frame?.isCheckedOut ?? false }

  /// The function of the concurrency library, or of another package, in which it is suspended.
  enum Suspension {
    /// It waits for the next element of an asynchronous stream.
    case stream
    /// It waits for the next element of an asynchronous sequence of another package.
    case sequence
    /// It waits for a change of an observable object.
    case observations
    /// It waits for the next element of another asynchronous sequence of the toolchain.
    case library
    case sleep
    case continuation
    /// The library is stripped.
    case unknown
  }

  /// - Parameters:
  ///   - frames: the functions that the task resumes in, innermost first.
  ///   - closure: the function that the task was created with.
  init(_ frames: [SourceFrame], closure: SourceFrame?) {
    let isOwn = { (frame: SourceFrame) in
      frame.isUserCode && !frame.isCheckedOut && frame.file?.holds("<compiler-generated>") != true
    }
    let innermost = frames.firstIndex(where: isOwn) ?? frames.firstIndex(where: \.isUserCode)
    let frame = innermost.map { frames[$0] }
    self.frame = frame
    function = (frame ?? closure ?? frames.first { !$0.isConcurrencyRuntime })?.qualifiedFunction
    let file = frame?.file.flatMap { $0.split(separator: "/").last }
    place = file.map { file in frame?.line.map { "\(file):\($0)" } ?? String(file) } ?? ""
    suspension = Self.suspension(in: frames.prefix(innermost ?? 0))
  }
}

extension TaskName {
  /// - Parameter frames: what the program's own function called.
  private static func suspension(in frames: ArraySlice<SourceFrame>) -> Suspension {
    let functions = frames.map(\.function)
    if let called = frames.last(where: { $0.isUserCode && $0.isCheckedOut }) {
      return called.function?.holds("terator.next(") == true ? .sequence : .unknown
    }
    let isInStream = functions.contains {
      $0?.holds("AsyncStream") == true || $0?.holds("AsyncThrowingStream") == true
    }
    if isInStream { return .stream }
    let next = functions.compactMap { $0 }.filter { $0.holds("terator.next(") }
    if !next.isEmpty { return next.contains { $0.holds("Observations") } ? .observations : .library }
    let isInSleep = functions.compactMap { $0 }.contains {
      $0.holds("Task<>.sleep") || $0.holds("Task<>._sleep") || $0.holds("Clock.sleep")
    }
    if isInSleep { return .sleep }
    return functions.contains(nil) ? .unknown : .continuation
  }
}

extension SourceFrame {
  /// `nil` for a thunk: the closure is the function that it calls.
  var closureName: String? { function == nil || isThunk ? nil : qualifiedFunction }

  /// Whether the frame is C++ code that runs tasks, and says nothing to a user.
  fileprivate var isConcurrencyRuntime: Bool { origin == .runtime || module.hasPrefix("libswift") }
}
