import LiveObjectsCapture

/// Builds findings from the reachability analysis of a capture.
struct HeapFindings {
  private let reachability: ReachabilityAnalysis
  private let labels: [TypeLabel?]
  private let leaks: [LeakTally]
  private let held: [HeldObjects]
  /// Their holders and paths, in the order of `held`.
  private let holders: [(origin: HolderSearch.Origin, path: ObjectPath)?]

  private var graph: ReferenceGraph { reachability.graph }
  private var capture: Capture { reachability.graph.capture }

  /// - Parameter labels: by index into `Capture.types`.
  init(
    _ reachability: ReachabilityAnalysis, of capture: Capture, labels: [TypeLabel?],
    _ options: Analysis.Options
  ) {
    self.reachability = reachability
    self.labels = labels
    leaks = LeakTally.all(reachability.leaks, in: reachability, labels)
    let counted = reachability.counted
    let isFound = labels.map { $0.map(options.finds) ?? true }
    let isEvaluated = { (object: Int) in
      isFound[capture.objects[object].type] && !Self.isPartOfOther(object, reachability)
    }
    let collections = HeldCollections(in: reachability, labels)
    let all = HeldObjects.all(in: reachability, collections, isEvaluated: isEvaluated)
    var finder = PathFinder(in: reachability.graph)
    held = all.filter { objects in
      if objects.collection != nil {
        return collections.isFinding(objects) { counted[$0] && isEvaluated($0) }
      }
      return !Self.isReportedByAnother(objects, reachability, &finder) {
        (counted[$0] || reachability.scope.recorded.objects.contains($0))
          && isFound[capture.objects[$0].type]
      }
    }
    holders = held.map { reachability.holders.path(to: $0.nearest) }
  }

  /// Whether an object is the closure of a task and on the path of the object that keeps the task: no finding
  /// of its own.
  private static func isReportedByAnother(
    _ objects: HeldObjects, _ reachability: ReachabilityAnalysis, _ finder: inout PathFinder,
    isCounted: (Int) -> Bool
  ) -> Bool {
    guard reachability.graph.kind(of: objects.nearest) == .closureContextOrBox,
      let holder = reachability.holders.path(to: objects.nearest),
      let cycle = TaskCycle(of: objects.nearest, heldBy: holder, in: reachability.graph, &finder)
    else { return false }
    return cycle.isReported(with: objects.owner, in: reachability) { object in
      reachability.graph.kind(of: object) == .classInstance && isCounted(object)
    }
  }

  /// Whether an object is a box, or a context without a known closure.
  private static func isPartOfOther(_ object: Int, _ reachability: ReachabilityAnalysis) -> Bool {
    switch reachability.graph.kind(of: object) {
    case .genericBox: true
    case .closureContextOrBox: reachability.function(of: object) == nil
    default: false
    }
  }

  /// The stack traces that findings show, but for those of objects of found types.
  var stackTraces: Set<UInt32> {
    let leaked = leaks.reduce(into: Set()) { traces, leak in
      traces.formUnion(leak.allocations.stackTraces)
      traces.formUnion(leak.retainSites.lazy.map(\.stackTrace))
    }
    return held.reduce(into: leaked) { traces, objects in
      if objects.collection != nil { traces.formUnion(objects.allocations.stackTraces) }
    }
  }

  func findings(_ traces: NamedTraces, symbolicator: some Symbolicator, _ options: Analysis.Options)
    -> [Finding]
  {
    let names = PathNames(functions, origins, of: graph, symbolicator: symbolicator)
    let naming = PathNaming(names, in: graph, labels)
    var merger = FindingMerger()
    var finder = PathFinder(in: graph)
    for leak in leaks { add(leak, to: &merger, naming, traces) }
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
    _ leak: LeakTally, to merger: inout FindingMerger, _ naming: PathNaming, _ traces: NamedTraces
  ) {
    let label = label(of: leak.start, traces)
    var finding = Finding(
      fingerprint: "", verdict: leak.group.verdict, certainty: leak.group.certainty,
      isLibraryLeak: isLibraryLeak(leak, traces), type: label.text, kind: label.kind,
      instances: leak.instances, objects: leak.objects, victims: leak.victims, bytes: leak.bytes,
      path: leak.path.map(naming.steps(round:)) ?? [], unexplainedRetains: leak.unexplainedRetains)
    finding.attribute(to: leak.group.owner, of: reachability.scope.attribution)
    finding.mayBeReleased = leak.isWeaklyReferenced
    finding.members = leak.members
    if leak.group.verdict == .overRetained, graph.heap.status.waitedForOthers {
      finding.remarks.append("Other threads were running: one of them may hold the object in a register.")
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
    let sites = leak.allocations.all.sorted { $0.stackTrace < $1.stackTrace }
    merger.add(finding, sites, leak.retainSites, in: traces)
  }

  /// Whether no object is of the program's types, and none was allocated by the program.
  private func isLibraryLeak(_ leak: LeakTally, _ traces: NamedTraces) -> Bool {
    !leak.hasUserType && !leak.allocations.stackTraces.contains(where: traces.isAllocatedByUser)
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
    let allocated = objects.allocations.all.filter { !traces.isAllocatedByTestRunner($0.stackTrace) }
    let isCollection = objects.collection != nil
    guard !allocated.isEmpty, !label.isThunk, isCollection || options.finds(label) else { return }
    if isCollection {
      // The first value of a variable has not grown.
      guard naming.isUserDefined(holder.origin), !allocated.allSatisfy({ traces.isFirstValue($0.stackTrace) })
      else { return }
    }
    let (steps, isCycle) = self.steps(holder, to: objects.nearest, &finder, naming)
    var finding = Finding(
      fingerprint: "", verdict: .heldBy,
      certainty: reachability.holders.isCertain(objects.nearest) ? .definite : .probable,
      type: isCollection ? CollectionName(storage: label.text)?.text ?? label.text : label.text,
      kind: label.kind, instances: objects.count, objects: objects.count, bytes: objects.bytes, path: steps,
      remarks: remarks(on: holder.origin, isCycle, naming))
    finding.attribute(to: objects.owner, of: reachability.scope.attribution)
    finding.members = capture.members(objects.members)
    if isCollection {
      finding.elements = objects.elements
      finding.remarks += objects.remarkOnRuns
    }
    merger.add(finding, allocated, [], in: traces)
  }

  private func closureLabel(of object: Int, _ naming: PathNaming) -> TypeLabel? {
    guard graph.kind(of: object) == .closureContextOrBox, let function = reachability.function(of: object),
      let frame = naming.names.functions[function]
    else { return nil }
    return TypeLabel(closure: frame)
  }

  /// The steps of the path. A task and the object that keeps it are shown as a cycle, which the user has to
  /// break.
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
    let place = naming.names.tasks[index].map { " in \($0)" } ?? ""
    if task.isLost {
      return [
        "The task\(place) waits for a continuation that nothing holds: it is probably never resumed."
      ]
    }
    return isCycle ? ["A task that has not ended\(place) keeps the objects alive."] : []
  }
}
