import LiveObjectsCapture

/// The objects that are unreachable because nothing can resume the suspended tasks that keep them.
///
/// A suspended task retains itself until it ends, so its count does not show whether it ever will. Some code has to
/// resume or cancel it, and needs its address: in a continuation, in a reference to the task, in the list of the
/// tasks that wait for another one, or in that of the parent's children. So any word leads on here, also a weak
/// reference or a plain pointer: who loads it may find the continuation. Only words in the frames of the runtime's own
/// functions, like `Task.sleep`, resume nothing: they are stale. A task that only unreachable objects refer to stays
/// as it is.
struct WaitingTasks {
  private let graph: ReferenceGraph
  /// By object: whether it has a root that may be in use.
  private let isRooted: [Bool]
  /// Suspended tasks that wait for a task that is known.
  private var waiting: Set<Int> = []
  /// Raw buffers that some object refers to.
  private var ownedBuffers: Set<Int> = []
  /// By object: conservative references from the frames of suspended tasks.
  private var inFrames: [UInt32: Int] = [:]

  /// - Parameter isRoot: the words outside of the heap that may refer to an object.
  /// - Returns: `nil` where no task is suspended.
  init?(in graph: ReferenceGraph, where isRoot: (Root) -> Bool) {
    guard graph.heap.tasks.contains(where: { graph.isSuspendedTask(Int($0.object)) }) else { return nil }
    self.graph = graph
    isRooted = Isolation.rooted(in: graph, where: isRoot)
    let kinds = graph.heap.labels.map(\.kind)
    for reference in graph.heap.references {
      let (source, target) = (Int(reference.source), Int(reference.target))
      switch kinds[Int(reference.label)] {
      case .waitingTask: waiting.insert(target)
      case .taskFrame, .runtimeFrame:
        guard source != target, graph.isSuspendedTask(source) else { break }
        inFrames[reference.target, default: 0] += 1
      default: break
      }
      if source != target, graph.kind(of: target) == .rawBuffer { ownedBuffers.insert(target) }
    }
  }

  /// Marks the objects that are reachable from outside without a task that nothing can resume. Takes time in proportion
  /// to the heap.
  var reachable: [Bool] {
    var marked = (0..<graph.count).map(isHeld)
    graph.mark(&marked, by: { !isInRuntimeFrame($0) })
    return marked
  }

  private func isInRuntimeFrame(_ reference: Int) -> Bool {
    graph.heap.labels[Int(graph.heap.references[reference].label)].kind == .runtimeFrame
  }

  private func isHeld(_ object: Int) -> Bool {
    if isRooted[object] { return true }
    if graph.kind(of: object) == .rawBuffer { return !ownedBuffers.contains(object) }
    guard !graph.isTestCase(object), let unexplained = graph.unexplained(object) else { return true }
    let explained = conservative(object)
    if graph.isSuspendedTask(object) { return unexplained - 1 - explained > 0 || isUndecided(object) }
    return graph.kind(of: object) == .task ? unexplained > 0 : unexplained - explained > 0
  }

  /// References to an object that may account for a retain.
  private func conservative(_ object: Int) -> Int {
    Int(graph.conservative[object]) + inFrames[UInt32(object), default: 0]
  }

  /// Whether a task waits for another one that is not known.
  private func isUndecided(_ object: Int) -> Bool {
    graph.task(of: object).map { graph.heap.tasks[$0].wait == .task } == true && !waiting.contains(object)
  }
}
