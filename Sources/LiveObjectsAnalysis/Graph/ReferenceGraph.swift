import LiveObjectsCapture

/// The references of a capture, by the object that they start from, and how many of each object's strong
/// retains they balance.
///
/// Plain arrays, without anything per object: a heap has tens of millions. A class, since it is handed to
/// every search, and a copy retains each of the arrays.
final class ReferenceGraph: Sendable {
  let capture: Capture
  let heap: HeapGraph
  /// The references of object `i` are `heap.references[starts[i]..<starts[i + 1]]`.
  private let starts: [UInt32]
  private let ownership: [ReferenceLabel.Ownership]
  /// See `leadsWithoutHolding(_:)`, by index into `HeapGraph.labels`.
  private let leadsWithoutHolding: [Bool]
  /// By index into `Capture.types`: a description has text, which would be retained for each object.
  private let kinds: [TypeDescription.Kind]
  /// By index into `Capture.types`.
  private let isTestCase: [Bool]
  /// By object: indices into `HeapGraph.tasks`.
  private let tasks: [UInt32: Int]
  private let lostBuffers: Set<UInt32>
  /// Strong references to each object.
  let strong: [UInt32]
  /// Conservative references to each object. Those from raw buffers and tasks do not count, which may not be
  /// held themselves.
  let conservative: [UInt32]

  init(_ capture: Capture, _ heap: HeapGraph) {
    let heap = heap.withoutFormerTargets(in: capture)
    self.capture = capture
    self.heap = heap
    ownership = heap.labels.map(\.ownership)
    leadsWithoutHolding = heap.labels.map(\.leadsWithoutHolding)
    kinds = capture.types.map(\.kind)
    isTestCase = capture.types.indices.map {
      heap.superclasses[$0]?.contains("XCTest.XCTestCase") ?? false
    }
    tasks = Dictionary(
      heap.tasks.enumerated().map { ($0.element.object, $0.offset) }, uniquingKeysWith: { first, _ in first })
    lostBuffers = Set(heap.lostBuffers)
    let count = capture.objects.count
    var starts = [UInt32](repeating: 0, count: count + 1)
    var strong = [UInt32](repeating: 0, count: count)
    var conservative = strong
    let isUncounted = kinds.map { $0 == .rawBuffer || $0 == .task }
    for reference in heap.references {
      starts[Int(reference.source) + 1] += 1
      switch ownership[Int(reference.label)] {
      case .strong: strong[Int(reference.target)] += 1
      case .conservative where !isUncounted[capture.objects[Int(reference.source)].type]:
        conservative[Int(reference.target)] += 1
      default: break
      }
    }
    for index in 0..<count { starts[index + 1] += starts[index] }
    self.starts = starts
    self.strong = strong
    self.conservative = conservative
  }

  var count: Int { capture.objects.count }

  /// Whether there is memory besides objects with a type: raw buffers, or blocks of C code.
  var hasMemory: Bool { !heap.blocks.isEmpty || (0..<count).contains { kind(of: $0) == .rawBuffer } }

  /// Whether it is lost memory, which is a leak of its own, whatever leads to it.
  func isLost(_ object: Int) -> Bool { lostBuffers.contains(UInt32(object)) }

  /// Indices into `heap.references`.
  func references(from object: Int) -> Range<Int> {
    Int(starts[object])..<Int(starts[object + 1])
  }

  /// The objects that references lead to, from these and from one another.
  ///
  /// - Parameter takes: whether a reference leads to an object that is one of them, and was not taken before.
  func objects(
    reachedFrom core: some BidirectionalCollection<UInt32>, takes: (_ reference: Int) -> Bool
  ) -> [UInt32] {
    var objects: [UInt32] = []
    var open: [UInt32] = []
    let all = heap.references  // else it is retained for each reference
    for object in core.reversed() {
      open.append(object)
      while let object = open.popLast() {
        for reference in references(from: Int(object)) where takes(reference) {
          objects.append(all[reference].target)
          open.append(all[reference].target)
        }
      }
    }
    return objects
  }

  /// Marks the objects that references lead to, from those that are marked and from one another.
  ///
  /// - Parameters:
  ///   - isStart: whether to start from a marked object.
  ///   - leads: whether to follow a reference.
  func mark(_ marked: inout [Bool], from isStart: (Int) -> Bool = { _ in true }, by leads: (Int) -> Bool) {
    var open = marked.indices.compactMap { marked[$0] && isStart($0) ? UInt32($0) : nil }
    let all = heap.references  // else it is retained for each reference
    while let object = open.popLast() {
      for reference in references(from: Int(object)) {
        let target = all[reference].target
        guard !marked[Int(target)], leads(reference) else { continue }
        marked[Int(target)] = true
        open.append(target)
      }
    }
  }

  func target(_ reference: Int) -> Int { Int(heap.references[reference].target) }

  func source(_ reference: Int) -> Int { Int(heap.references[reference].source) }

  func isStrong(_ reference: Int) -> Bool {
    ownership[Int(heap.references[reference].label)] == .strong
  }

  func isConservative(_ reference: Int) -> Bool {
    ownership[Int(heap.references[reference].label)] == .conservative
  }

  func isUnmanaged(_ reference: Int) -> Bool {
    ownership[Int(heap.references[reference].label)] == .unmanaged
  }

  /// Whether the reference keeps its target alive, or may do so. A conservative reference may if its target
  /// has an unbalanced retain; else it is a copy that the program has dropped, or never owned.
  func mayHold(_ reference: Int) -> Bool {
    switch ownership[Int(heap.references[reference].label)] {
    case .strong: true
    case .conservative: unexplained(target(reference)).map { $0 > 0 } ?? true
    case .weak, .unowned, .unmanaged: false
    }
  }

  /// Whether the reference is a pointer that the program keeps by itself, `Unmanaged` or a plain address, to
  /// memory without a count, or to a target with an unbalanced retain: the retain may belong to it. A task
  /// retains itself.
  private func mayBeRetainedPointer(_ reference: Int) -> Bool {
    isUnmanaged(reference) && kind(of: target(reference)) != .task
      && unexplained(target(reference)).map { $0 > 0 } ?? true
  }

  /// Whether the target may be alive because of the reference, by its type or by a retain of the program's own.
  func mayKeepAlive(_ reference: Int) -> Bool { mayHold(reference) || mayBeRetainedPointer(reference) }

  /// Whether the target is alive because of the reference, as far as types and counts show it. A word in a raw buffer is
  /// a pointer there, in the memory of a container; other words without a type may be old.
  func keepsAlive(_ reference: Int) -> Bool {
    switch ownership[Int(heap.references[reference].label)] {
    case .strong: true
    case .unmanaged: mayBeRetainedPointer(reference)
    case .conservative: kind(of: source(reference)) == .rawBuffer && mayHold(reference)
    case .unowned: capture.objects[target(reference)].isPinned
    case .weak: false
    }
  }

  /// Whether code may load the target through the reference, which does not keep it alive.
  /// A word without a type may be stale.
  func leadsWithoutHolding(_ reference: Int) -> Bool {
    leadsWithoutHolding[Int(heap.references[reference].label)]
  }

  func kind(of object: Int) -> TypeDescription.Kind {
    kinds[capture.objects[object].type]
  }

  /// - Returns: an index into `HeapGraph.tasks`; `nil` for other objects, and for tasks that were not read.
  func task(of object: Int) -> Int? { tasks[UInt32(object)] }

  /// Whether an object is a task that continues only if some code resumes it, or the executor that has it runs it.
  func isSuspendedTask(_ object: Int) -> Bool {
    guard kind(of: object) == .task, let task = task(of: object).map({ heap.tasks[$0] }) else { return false }
    let isSuspended = task.state == .suspended && task.wait != .executor
    let isJob = task.state == .enqueued && task.isInExecutor
    return (isSuspended || isJob) && !task.hasActiveChild
  }

  /// Whether the source may resume or cancel the target, a suspended task. Any word with its address may:
  /// continuations have no other reference.
  func mayResume(_ reference: Int) -> Bool {
    target(reference) != source(reference) && isSuspendedTask(target(reference))
  }

  /// Whether an object is a test case. XCTest creates them before the first test and releases them when the
  /// process ends, so they count as held even without references.
  func isTestCase(_ object: Int) -> Bool { isTestCaseClass(capture.objects[object].type) }

  /// - Parameter type: index into `Capture.types`.
  func isTestCaseClass(_ type: Int) -> Bool { isTestCase[type] }

  /// Unbalanced retains, those without a matching reference; `nil` where the count is unknown. Negative if
  /// references were found that hold nothing.
  func unexplained(_ object: Int) -> Int? {
    capture.objects[object].strongCount.map { Int($0) - Int(strong[object]) }
  }
}

extension HeapGraph {
  /// Without the references that were found in memory to which a weak reference leads: the counts of an object that was
  /// freed, with its address, where another object may be now.
  fileprivate func withoutFormerTargets(in capture: Capture) -> HeapGraph {
    let isWeak = labels.map { $0.ownership == .weak }
    let isBuffer = capture.types.map { $0.kind == .rawBuffer }
    let former = Set(
      references.lazy.filter { isWeak[Int($0.label)] }.map(\.target)
        .filter { isBuffer[capture.objects[Int($0)].type] })
    guard !former.isEmpty else { return self }
    var graph = self
    graph.references.removeAll { former.contains($0.source) }
    return graph
  }
}

extension ReferenceLabel {
  fileprivate var leadsWithoutHolding: Bool {
    switch ownership {
    case .weak, .unowned: true
    case .unmanaged: kind != .memory && kind != .waitingTask && kind != .taskChild
    case .strong, .conservative: false
    }
  }
}

extension ReferenceGraph {
  /// A block of C code that an object of the heap holds, and the object it captured.
  struct HeldBlock: Hashable {
    var target: UInt32
    var code: Frame

    init(target: UInt32, code: Frame) { (self.target, self.code) = (target, code) }

    /// The block that a root is; `nil` for other roots, and where the object that will call it is known.
    init?(_ root: Root) {
      guard case .handler(let code?, of: nil) = root.place else { return nil }
      self.init(target: root.target, code: code)
    }
  }

  /// Conservative references with a function: those of blocks, whose captures are guessed and whose code is
  /// known.
  var heldBlocks: Set<HeldBlock> {
    guard heap.roots.contains(where: { if case .handler(_, of: nil) = $0.place { true } else { false } })
    else {
      return []
    }
    var blocks: Set<HeldBlock> = []
    for (index, reference) in heap.references.enumerated() where !isStrong(index) && mayHold(index) {
      guard let function = reference.function else { continue }
      blocks.insert(HeldBlock(target: reference.target, code: heap.functions[Int(function)]))
    }
    return blocks
  }
}
