import LiveObjectsCapture

/// What to do about objects that a library holds because it will call a closure of the program, or a task because it has
/// not ended: both may be intended, so a hint names the end of either too.
struct HolderHints {
  typealias Holder = (origin: HolderSearch.Origin, path: ObjectPath)

  let naming: PathNaming

  private var graph: ReferenceGraph { naming.graph }

  /// - Parameter isCycle: the object holds the task that holds it.
  /// - Returns: `nil` where the program does not say when the closure is called last.
  func hint(for holder: Holder, isCycle: Bool) -> Finding.Hint? {
    switch holder.origin {
    case .handler(let root): closure(of: root, holder.path, action(for: root))
    case .variable: observer(holder.path)
    case .task(let task): isCycle ? self.task(task) : nil
    case .testCase, .olderObject, .thread, .stack, .memory: nil
    }
  }

  /// On Linux, Foundation never releases the closure of a timer: to invalidate the timer is not enough.
  private func action(for root: Int) -> Finding.Hint.Action? {
    guard case .handler(_, let label?) = graph.heap.roots[root].place else { return nil }
    let name = graph.heap.labels[Int(label)].text
    if name.hasPrefix("timer on ") { return .captureWeakly }
    return name.hasPrefix("dispatch source (") ? .cancelSource : nil
  }

  private func closure(
    of root: Int, _ path: ObjectPath, _ action: Finding.Hint.Action?
  ) -> Finding.Hint? {
    guard let action, case .handler(let code, _) = graph.heap.roots[root].place else { return nil }
    let handler = code.flatMap { naming.names.handlers[$0] }
    let place =
      if let handler, handler.closureName != nil {
        place(of: handler, path)
      } else {
        firstClosure(on: path.references[...]) { $0.isUserCode }
      }
    return place.map { Finding.Hint(action, at: [$0]) }
  }

  /// The closure that a library calls, with the first object on the path or the context of that as its captures.
  private func place(of handler: SourceFrame, _ path: ObjectPath) -> Finding.Hint.Place? {
    let closure = handler.qualifiedFunction
    guard naming.isContext(path.start) else {
      return Finding.Hint.Place(handler, captured: naming.captured(object: path.start, closure: closure))
    }
    return path.references.first.flatMap {
      Finding.Hint.Place(handler, captured: naming.captured(by: $0, closure: closure))
    }
  }

  /// The closure behind a notification center: one before it keeps the center.
  private func observer(_ path: ObjectPath) -> Finding.Hint? {
    let centers = ["Foundation.NotificationCenter", "FoundationEssentials.NotificationCenter"]
    let references = path.references.drop { !centers.contains(naming.name(of: graph.source($0))) }
    return firstClosure(on: references) { _ in true }.map { Finding.Hint(.removeObserver, at: [$0]) }
  }

  /// The first closure of the program.
  ///
  /// - Parameter isExpected: whether the path may lead through a closure. Those of libraries are called by their own
  ///   rules.
  private func firstClosure(
    on path: ArraySlice<Int>, where isExpected: (SourceFrame) -> Bool
  ) -> Finding.Hint.Place? {
    for (position, index) in zip(path.indices, path) {
      guard let closure = graph.heap.references[index].function.flatMap({ naming.names.functions[$0] }),
        closure.closureName != nil
      else { continue }
      guard isExpected(closure) else { return nil }
      guard closure.isUserCode else { continue }
      let isContext = naming.isContext(graph.target(index))
      guard let capturing = isContext ? path[(position + 1)...].first : index else { return nil }
      return Finding.Hint.Place(
        closure, captured: naming.captured(by: capturing, closure: closure.qualifiedFunction))
    }
    return nil
  }

  /// A task that sleeps, or waits for a stream, ends when it is cancelled, if its function sees to that.
  private func task(_ index: Int) -> Finding.Hint? {
    guard let name = naming.names.tasks[index], [.sleep, .stream, .sequence].contains(name.suspension),
      let place = name.suspensionPlace
    else { return nil }
    return Finding.Hint(.endTask, at: [place])
  }
}
