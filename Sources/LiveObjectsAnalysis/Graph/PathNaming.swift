import LiveObjectsCapture

/// Converts a path through the heap into human-readable steps.
///
/// The storage of a collection and a box are not steps: `children[0]` is one reference. A closure is one step,
/// named after its function, even where it has no context of its own.
struct PathNaming {
  let graph: ReferenceGraph
  /// By index into `Capture.types`.
  let labels: [TypeLabel?]
  let names: PathNames
  /// The names of closures; thunks have none, for the closure is the function that they call.
  private let closureNames: [UInt32: String]
  /// By index into `HeapGraph.labels`.
  private let captures: [Capture]

  /// A value that a closure captured: a number for its type without generic arguments, and whether it is all
  /// of the value.
  private struct Capture {
    var type: Int?
    var isWhole = false
  }

  init(_ names: PathNames, in graph: ReferenceGraph, _ labels: [TypeLabel?]) {
    (self.names, self.graph, self.labels) = (names, graph, labels)
    closureNames = names.functions.compactMapValues {
      $0.function == nil || $0.isThunk ? nil : $0.qualifiedFunction
    }
    var numbers: [Substring: Int] = [:]
    captures = graph.heap.labels.map { label in
      guard label.kind == .capture else { return Capture() }
      let type = label.text.prefix { $0 != "<" }
      let number = numbers[type] ?? numbers.count
      numbers[type] = number
      return Capture(type: number, isWhole: !label.text.contains("\t"))
    }
  }

  /// The steps once around a cycle.
  func steps(round path: ObjectPath) -> [Finding.PathStep] {
    var writer = start(of: path)
    write(path, to: &writer, closesOn: path.start)
    return Self.collapsed(Self.rotated(writer.finished()))
  }

  /// The steps from a holder to an object.
  func steps(from origin: HolderSearch.Origin, _ path: ObjectPath) -> [Finding.PathStep] {
    var writer = start(at: origin, path.start)
    write(path, to: &writer, closesOn: nil)
    return Self.collapsed(writer.finished())
  }

  /// The first step of a cycle. The context of a closure is named after the function of the last
  /// reference.
  private func start(of cycle: ObjectPath) -> PathWriter {
    let closing = cycle.references.last.map { graph.heap.references[$0] }
    guard isContext(cycle.start), let closure = closing.flatMap(closureName) else {
      return PathWriter(name(of: cycle.start))
    }
    return PathWriter(closure, isClosure: true)
  }

  private func start(at origin: HolderSearch.Origin, _ object: Int) -> PathWriter {
    switch origin {
    case .variable(let root): return start(at: variableName(root), object)
    case .dispatchBlock: return start(at: "dispatch block", object)
    case .task(let task): return PathWriter(taskName(task))
    case .testCase, .olderObject, .threadLocal, .stack, .memory: return PathWriter(name(of: object))
    }
  }

  /// The first step at a variable; the object in it is the next step, unless it is part of a collection.
  private func start(at variable: String, _ object: Int) -> PathWriter {
    var writer = PathWriter(variable)
    if !isPartOfHolder(object) { writer.beginStep(name(of: object)) }
    return writer
  }

  private func variableName(_ root: Int) -> String {
    guard case .global(let place) = graph.heap.roots[root].place else { return "global" }
    if let name = names.variables[place] { return name }
    return "global in \(ImageNames.name(place, of: graph.capture).module)"
  }

  /// Whether a path starts in the program's own code or data, not in a variable of the toolchain.
  func isUserDefined(_ origin: HolderSearch.Origin) -> Bool {
    guard case .variable(let root) = origin, case .global(let place) = graph.heap.roots[root].place else {
      return true
    }
    guard let name = names.variables[place] else { return graph.capture.image(of: place)?.isSystem == false }
    let qualified = name.split(separator: " ").last ?? ""
    return TypeName(String(qualified)).module.map { !SystemModules.contains($0) } ?? true
  }

  private func taskName(_ task: Int) -> String {
    let state: String
    switch graph.heap.tasks[task].state {
    case .suspended: state = "suspended task"
    case .running: state = "running task"
    case .enqueued: state = "enqueued task"
    case .complete, .unknown: state = "task"
    }
    return names.tasks[task].map { "\(state) in \($0)" } ?? state
  }

  func name(of object: Int) -> String {
    if graph.kind(of: object) == .task { return "Swift.Task" }
    return labels[graph.capture.objects[object].type]?.text ?? "closure or box"
  }

  /// Rotates equal cycles so that they start at the same object of the first one's type, whichever was found
  /// first: `a.next → b.prev` is `b.prev → a.next`.
  private static func rotated(_ cycle: [Finding.PathStep]) -> [Finding.PathStep] {
    guard cycle.count <= mostShown else { return cycle }
    let turns = cycle.indices.filter { cycle[$0].type == cycle[0].type }
      .map { Array(cycle[$0...] + cycle[..<$0]) }
    let first = turns.min { a, b in
      a.lexicographicallyPrecedes(b) { ($0.type, $0.reference) < ($1.type, $1.reference) }
    }
    return first ?? cycle
  }

  private static let mostShown = 16

  /// Shortens long paths, of lists and trees, which repeat themselves.
  private static func collapsed(_ steps: [Finding.PathStep]) -> [Finding.PathStep] {
    guard steps.count > mostShown else { return steps }
    var seen: Set<Finding.PathStep> = []
    return steps.filter { seen.insert($0).inserted }
  }
}

// MARK: - Along the references

extension PathNaming {
  private func write(_ path: ObjectPath, to writer: inout PathWriter, closesOn end: Int?) {
    var last = UInt32(path.start)
    for (position, index) in path.references.enumerated() {
      let reference = graph.heap.references[index]
      if reference.source != last { writer.beginStep("…") }
      last = reference.target
      let target = Int(reference.target)
      let isBox = isContext(target) && reference.function == nil
      writer.add(
        label(of: reference), element: reference.element, isBox: isBox,
        canBeSelf: isOnlyOfItsType(reference))
      let isEnd = position == path.references.count - 1
      if let closure = closureName(reference) {
        writer.beginStep(closure, isClosure: true)
        if isContext(target) { continue }
        writer.capture(name(of: target), superclasses(of: target))
        writer.beginStep(name(of: target))
      } else if !isPartOfHolder(target) || (isEnd && target == end) {
        writer.beginStep(name(of: target))
      }
    }
  }

  /// The label of a reference, without the names that Foundation gives to the parts of `Data`.
  private func label(of reference: Reference) -> ReferenceLabel {
    var label = graph.heap.labels[Int(reference.label)]
    let target = graph.capture.types[graph.capture.objects[Int(reference.target)].type]
    let parts = "_representation.storage"
    guard label.text.hasSuffix(parts), ObjectKind(of: target) == .dataStorage else { return label }
    label.text.removeLast(parts.count)
    if label.text.hasSuffix(".") { label.text.removeLast() }
    return label
  }

  /// More than any closure captures; each of them is examined for each path.
  private static let mostCaptures = 256

  /// Whether a closure captured one object of a class, whatever its generic arguments: of two, either may be
  /// `self`.
  private func isOnlyOfItsType(_ reference: Reference) -> Bool {
    guard let type = captures[Int(reference.label)].type else { return true }
    let siblings = graph.references(from: Int(reference.source))
    guard siblings.count <= Self.mostCaptures else { return false }
    return siblings.count { index in
      let other = captures[Int(graph.heap.references[index].label)]
      return other.type == type && other.isWhole
    } <= 1
  }

  private func closureName(_ reference: Reference) -> String? {
    reference.function.flatMap { closureNames[$0] }
  }

  private func isContext(_ object: Int) -> Bool { graph.kind(of: object) == .closureContextOrBox }

  /// Whether an object is the storage of a collection, or a box: part of the object that refers to it.
  private func isPartOfHolder(_ object: Int) -> Bool {
    let type = graph.capture.types[graph.capture.objects[object].type]
    switch ObjectKind(of: type) {
    case .arrayStorage, .dictionaryStorage, .setStorage: return !isManagedBuffer(type)
    case .box, .closureOrBox, .closure, .error: return true
    case .classInstance, .actor, .stringStorage, .dataStorage, .rawBuffer, .task, .other: return false
    }
  }

  private func isManagedBuffer(_ type: TypeDescription) -> Bool { type.name.hasPrefix("Swift.ManagedBuffer") }

  private func superclasses(of object: Int) -> [String] {
    graph.heap.superclasses[graph.capture.objects[object].type] ?? []
  }
}

/// The names that paths need from a symbolicator, of closures, variables and tasks, requested in one go.
struct PathNames {
  /// By index into `HeapGraph.functions`.
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
