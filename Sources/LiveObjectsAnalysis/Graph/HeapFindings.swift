import LiveObjectsCapture

/// Makes findings of what the references of a capture say.
struct HeapFindings {
  private let judgement: HeapJudgement
  private let labels: [TypeLabel?]
  private let leaks: [LeakTally]
  private let held: [HeldObjects]
  /// How they are held, in the order of `held`.
  private let holders: [(origin: HolderSearch.Origin, path: ObjectPath)?]

  private var graph: ReferenceGraph { judgement.graph }
  private var capture: Capture { judgement.graph.capture }

  /// - Parameter labels: by index into `Capture.types`.
  init(
    _ judgement: HeapJudgement, of capture: Capture, labels: [TypeLabel?], _ options: Analysis.Options
  ) {
    self.judgement = judgement
    self.labels = labels
    leaks = LeakTally.all(judgement.leaks, in: judgement, labels)
    let counted = judgement.counted
    let isFound = labels.map { $0.map(options.finds) ?? true }
    let all = HeldObjects.all(in: judgement) { object in
      counted[object] && isFound[capture.objects[object].type] && !Self.isPartOfOther(object, judgement)
    }
    var finder = PathFinder(in: judgement.graph)
    held = all.filter { objects in
      !Self.isToldByAnother(objects, judgement, &finder) {
        (counted[$0] || judgement.judged.recorded.objects.contains($0))
          && isFound[capture.objects[$0].type]
      }
    }
    holders = held.map { judgement.holders.path(to: $0.nearest) }
  }

  /// The closure of a task is on the path of the object that keeps the task, and is no finding of its own.
  private static func isToldByAnother(
    _ objects: HeldObjects, _ judgement: HeapJudgement, _ finder: inout PathFinder, isCounted: (Int) -> Bool
  ) -> Bool {
    guard judgement.graph.kind(of: objects.nearest) == .closureContextOrBox,
      let holder = judgement.holders.path(to: objects.nearest),
      let cycle = TaskCycle(of: objects.nearest, heldBy: holder, in: judgement.graph, &finder)
    else { return false }
    return cycle.tells(of: objects.test, in: judgement) { object in
      judgement.graph.kind(of: object) == .classInstance && isCounted(object)
    }
  }

  /// Boxes, and contexts that no closure is known of.
  private static func isPartOfOther(_ object: Int, _ judgement: HeapJudgement) -> Bool {
    switch judgement.graph.kind(of: object) {
    case .genericBox: true
    case .closureContextOrBox: judgement.function(of: object) == nil
    default: false
    }
  }

  /// The stack traces that findings show.
  var stackTraces: Set<UInt32> {
    leaks.reduce(into: []) { traces, leak in
      traces.formUnion(leak.stackTraces.keys)
      traces.formUnion(leak.retainSites.lazy.map(\.stackTrace))
    }
  }

  func findings(_ traces: NamedTraces, symbolicator: some Symbolicator, _ options: Analysis.Options)
    -> [Finding]
  {
    let names = PathNames(functions, origins, of: graph, symbolicator: symbolicator)
    let naming = PathNaming(names, in: graph, labels)
    var merger = FindingMerger()
    var finder = PathFinder(in: graph)
    for leak in leaks { add(leak, to: &merger, naming, traces, options) }
    for (objects, holder) in zip(held, holders) {
      guard let holder else { continue }
      add(objects, holder, to: &merger, &finder, naming, traces, options)
    }
    return merger.findings(with: traces)
  }

  /// The frames that paths need names of.
  var pathFrames: Set<Frame> { PathNames.frames(functions, origins, in: graph) }

  /// The functions on paths, as indices into `HeapGraph.functions`.
  private var functions: Set<UInt32> {
    let leaked = leaks.lazy.flatMap { $0.path?.references ?? [] }
    let held = holders.lazy.flatMap { $0?.path.references ?? [] }
    let references = [Array(leaked), Array(held)].joined()
    return Set(references.compactMap { graph.heap.references[$0].function })
  }

  private var origins: Set<HolderSearch.Origin> { Set(holders.compactMap { $0?.origin }) }
}

// MARK: - Leaks

extension HeapFindings {
  private func add(
    _ leak: LeakTally, to merger: inout FindingMerger, _ naming: PathNaming, _ traces: NamedTraces,
    _ options: Analysis.Options
  ) {
    let label = label(of: leak.start, traces)
    guard options.includes(label.text) else { return }
    var finding = Finding(
      fingerprint: "", verdict: leak.group.verdict, certainty: leak.group.certainty,
      isLibraryLeak: isLibraryLeak(leak, traces), type: label.text, kind: label.kind,
      instances: leak.instances, objects: leak.objects, victims: leak.victims, bytes: leak.bytes,
      path: leak.path.map(naming.steps(round:)) ?? [], unexplainedRetains: leak.unexplainedRetains)
    finding.attribute(to: leak.group.test, of: judgement.judged.attribution)
    finding.mayBeReleased = leak.hasVisitors
    finding.members = leak.members
    if leak.group.verdict == .overRetained, graph.heap.status.waitedForOthers {
      finding.remarks.append(
        "Other threads were running: one of them may hold the object in a register."
      )
    }
    if leak.unrecordedRetains > 0 {
      finding.remarks.append(
        "The recorded retains and releases differ from the strong counts by \(leak.unrecordedRetains).")
    }
    if let object = leak.contradiction {
      finding.certainty = .probable
      finding.remarks += [
        "More references than retains were found for an object of \(self.label(of: object, traces).text)."
      ]
    }
    let sites = leak.stackTraces.sorted { $0.key < $1.key }.map { (stackTrace: $0.key, count: $0.value) }
    merger.add(finding, sites, leak.retainSites, in: traces)
  }

  /// No object is of the program's types, and none was made by the program.
  private func isLibraryLeak(_ leak: LeakTally, _ traces: NamedTraces) -> Bool {
    !leak.hasUsersType && !leak.stackTraces.keys.contains(where: traces.isMadeByUser)
  }

  private func label(of object: Int, _ traces: NamedTraces) -> TypeLabel {
    let record = capture.objects[object]
    return labels[record.type]
      ?? TypeLabel(capture.types[record.type], of: capture, record.stackTrace, traces)
  }
}

// MARK: - Held objects

extension HeapFindings {
  private func add(
    _ objects: HeldObjects, _ holder: (origin: HolderSearch.Origin, path: ObjectPath),
    to merger: inout FindingMerger, _ finder: inout PathFinder, _ naming: PathNaming, _ traces: NamedTraces,
    _ options: Analysis.Options
  ) {
    let label = closureLabel(of: objects.nearest, naming) ?? label(of: objects.nearest, traces)
    let made = objects.stackTraces.filter { !traces.isTestRunnersOwn($0.key) }
    guard options.includes(label.text), options.finds(label), !made.isEmpty, !label.isThunk else { return }
    let (steps, isCycle) = self.steps(holder, to: objects.nearest, &finder, naming)
    var finding = Finding(
      fingerprint: "", verdict: .heldBy,
      certainty: judgement.holders.isCertain(objects.nearest) ? .definite : .probable,
      type: label.text, kind: label.kind, instances: objects.count, objects: objects.count,
      bytes: objects.bytes, path: steps, remarks: remarks(on: holder.origin, isCycle, naming))
    finding.attribute(to: objects.test, of: judgement.judged.attribution)
    finding.members = objects.members.enumerated().map { number, object in
      TestFinding.Object(capture.objects[object], instance: number, isCore: true)
    }
    merger.add(finding, made.map { ($0.key, $0.value) }, [], in: traces)
  }

  private func closureLabel(of object: Int, _ naming: PathNaming) -> TypeLabel? {
    guard graph.kind(of: object) == .closureContextOrBox, let function = judgement.function(of: object),
      let frame = naming.functions[function]
    else { return nil }
    return TypeLabel(closure: frame)
  }

  /// A task that is kept by the object it works for is told as a cycle, which is what a person has to break.
  private func steps(
    _ holder: (origin: HolderSearch.Origin, path: ObjectPath), to object: Int, _ finder: inout PathFinder,
    _ naming: PathNaming
  ) -> (steps: [Finding.PathStep], isCycle: Bool) {
    if let cycle = TaskCycle(of: object, heldBy: holder, in: graph, &finder) {
      return (naming.steps(round: cycle.path), true)
    }
    return (naming.steps(from: holder.origin, holder.path), false)
  }

  private func remarks(on origin: HolderSearch.Origin, _ isCycle: Bool, _ naming: PathNaming) -> [String] {
    guard case .task(let index) = origin else { return [] }
    let task = graph.heap.tasks[index]
    let place = naming.taskFunctions[index].map { " in \($0)" } ?? ""
    if task.isLost {
      return [
        "The task\(place) waits for a continuation that nothing holds: it is probably never resumed."
      ]
    }
    return isCycle ? ["A task that has not ended\(place) keeps the objects alive."] : []
  }
}
