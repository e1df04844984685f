import LiveObjectsCapture

/// Says what a task that is never resumed waits for, and who should have ended that.
struct TaskHints {
  let naming: PathNaming

  /// - Returns: `nil` for other leaks, and where the place is not known.
  func hint(for leak: LeakTally) -> DraftHint? {
    // Tasks that wait for tasks go on when the others do.
    let tasks = leak.tasks(in: naming.graph).filter { naming.graph.heap.tasks[$0].wait == .continuation }
    // Tasks of other packages wait for the program's.
    let own = tasks.filter { naming.names.tasks[$0]?.isOfPackage == false }
    return (own.isEmpty ? tasks : own).lazy.compactMap { hint(for: $0, heldByObject: hasUserType(leak)) }
      .first
  }

  private func hint(for task: Int, heldByObject isHeld: Bool) -> DraftHint? {
    guard let name = naming.names.tasks[task], let place = name.suspensionPlace,
      let action = action(for: name.suspension, heldByObject: isHeld)
    else { return nil }
    return DraftHint(action: action, places: [DraftHint.Place(place)])
  }

  private func action(
    for suspension: TaskName.Suspension, heldByObject isHeld: Bool
  ) -> Finding.Hint.Action? {
    switch suspension {
    case .stream: isHeld ? .iterateCopy : .finishStream
    case .sequence: isHeld ? .iterateCopy : nil
    case .observations: .endObservation
    case .continuation: .resumeContinuation
    case .library, .sleep, .unknown: nil
    }
  }

  /// Whether an object of the program's holds the stream and the task, or its captures.
  private func hasUserType(_ leak: LeakTally) -> Bool {
    let graph = naming.graph
    return leak.group.core.contains { object in
      graph.kind(of: Int(object)) == .classInstance
        && naming.labels[graph.capture.objects[Int(object)].type]?.isUserDefined == true
    }
  }
}

extension TaskName {
  /// The line at which the program's own function is suspended.
  var suspensionPlace: Finding.Hint.Place? {
    frame.map { frame in
      Finding.Hint.Place(
        kind: .suspension, name: frame.qualifiedFunction, file: frame.line == nil ? nil : frame.file,
        line: frame.line)
    }
  }
}
