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
    closureNames = names.functions.compactMapValues(\.closureName)
    var numbers: [Substring: Int] = [:]
    captures = graph.heap.labels.map { label in
      guard label.kind == .capture else { return Capture() }
      let type = label.text.prefix(before: "<")
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
    case .handler(let root): return start(atHandler: root, object)
    case .thread: return start(at: "running thread", object)
    case .task(let task): return PathWriter(taskName(task))
    case .testCase, .olderObject, .stack, .memory: return PathWriter(name(of: object))
    }
  }

  /// The first step at a variable; the object in it is the next step, unless it is part of a collection.
  private func start(at variable: String, _ object: Int) -> PathWriter {
    var writer = PathWriter(variable)
    if !isPartOfHolder(object) { writer.beginStep(name(of: object)) }
    return writer
  }

  /// The first step at what will call the handler, then the closure.
  private func start(atHandler root: Int, _ object: Int) -> PathWriter {
    guard case .handler(let code, let label) = graph.heap.roots[root].place else {
      return PathWriter(name(of: object))
    }
    var writer = PathWriter(label.map { graph.heap.labels[Int($0)].text } ?? "dispatch block")
    if let closure = code.flatMap({ names.handlers[$0]?.closureName }) {
      writer.beginStep(closure, isClosure: true)
      if isContext(object) { return writer }
      writer.capture(name(of: object), superclasses(of: object))
    }
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
    let qualified = names.variables[place]?.split(separator: " ").last
    guard let module = qualified.flatMap({ TypeName(String($0)).module }) else {
      // C has no modules, and stripped libraries have no names.
      return graph.capture.image(of: place)?.isSystem == false
    }
    return !SystemModules.contains(module)
  }

  private func taskName(_ task: Int) -> String {
    let state: String
    switch graph.heap.tasks[task].state {
    case .suspended: state = "suspended task"
    case .running: state = "running task"
    case .enqueued: state = "enqueued task"
    case .complete, .unknown: state = "task"
    }
    return names.tasks[task]?.function.map { "\(state) in \($0)" } ?? state
  }

  func name(of object: Int) -> String {
    if let task = graph.task(of: object), names.tasks[task] != nil { return taskName(task) }
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

  /// Shortens long paths, of lists and trees, which repeat themselves: leads from the first step to the last one by the
  /// fewest steps, each of which follows the one before it somewhere on the path.
  private static func collapsed(_ steps: [Finding.PathStep]) -> [Finding.PathStep] {
    guard steps.count > mostShown else { return steps }
    var followers: [Finding.PathStep: [Finding.PathStep]] = [:]
    var seen: Set<[Finding.PathStep]> = []
    for (step, next) in zip(steps, steps.dropFirst()) where seen.insert([step, next]).inserted {
      followers[step, default: []].append(next)
    }
    var predecessors: [Finding.PathStep: Finding.PathStep] = [:]
    var queue = [steps[0]]
    var reached = 0
    while predecessors[steps[steps.count - 1]] == nil, reached < queue.count {
      let step = queue[reached]
      reached += 1
      for next in followers[step] ?? [] where next != steps[0] && predecessors[next] == nil {
        predecessors[next] = step
        queue.append(next)
      }
    }
    var path = [steps[steps.count - 1]]
    while let step = predecessors[path[path.count - 1]] { path.append(step) }
    return path.reversed()
  }
}

// MARK: - Along the references

extension PathNaming {
  func label(_ reference: Int) -> ReferenceLabel {
    graph.heap.labels[Int(graph.heap.references[reference].label)]
  }

  /// The name by which a closure refers to what it captured: `self`, `captured Loader`, `captured variable`.
  func captured(by index: Int, closure: String) -> String {
    let reference = graph.heap.references[index]
    let target = Int(reference.target)
    guard reference.function == nil else { return captured(object: target, closure: closure) }
    var writer = PathWriter(closure, isClosure: true)
    writer.add(
      label(index), element: nil, isBox: isContext(target), canBeSelf: isOnlyOfItsType(reference))
    return writer.finished().last?.reference ?? ""
  }

  /// The name by which a closure refers to the only object that it captured, which is its context.
  func captured(object: Int, closure: String) -> String {
    var writer = PathWriter(closure, isClosure: true)
    writer.capture(name(of: object), superclasses(of: object))
    return writer.finished().last?.reference ?? ""
  }

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

  func isContext(_ object: Int) -> Bool { graph.kind(of: object) == .closureContextOrBox }

  /// Whether an object is the storage of a collection, or a box: part of the object that refers to it.
  func isPartOfHolder(_ object: Int) -> Bool {
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

  /// The names of a class and its superclasses, the nearest first, without generic arguments.
  func classNames(of type: Int) -> [String] {
    let superclasses = (graph.heap.superclasses[type] ?? []).map { TypeName($0).text }
    return ((labels[type].map { [$0.text] } ?? []) + superclasses).map(\.withoutArguments)
  }

  /// The image with a class of the program; `nil` for a generic one, whose metadata may lie in the runtime's own memory.
  func programImage(of type: Int) -> Int? {
    graph.capture.types[type].image.flatMap { graph.capture.images[$0].isSystem ? nil : $0 }
  }
}
