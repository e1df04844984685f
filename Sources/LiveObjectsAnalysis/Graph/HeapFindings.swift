import LiveObjectsCapture

/// Builds findings from the reachability analysis of a capture.
struct HeapFindings {
  private let reachability: ReachabilityAnalysis
  private let labels: [TypeLabel?]
  private let leaks: [LeakTally]
  let held: [HeldObjects]
  /// Their holders and paths, in the order of `held`.
  private let holders: [(origin: HolderSearch.Origin, path: ObjectPath)?]

  private var graph: ReferenceGraph { reachability.graph }
  private var capture: Capture { reachability.graph.capture }

  /// - Parameters:
  ///   - labels: by index into `Capture.types`.
  ///   - isFound: likewise: whether objects of the type are findings of their own.
  init(
    _ reachability: ReachabilityAnalysis, of capture: Capture, labels: [TypeLabel?], isFound: [Bool]
  ) {
    self.reachability = reachability
    self.labels = labels
    leaks = LeakTally.all(reachability.leaks, in: reachability, labels)
    let counted = reachability.counted
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
      if let storage = growing(objects) { traces.insert(capture.objects[storage].stackTrace) }
    }
  }

  /// What names the cycles that contain it.
  struct Subjects {
    /// The types that tests track or call their system under test, as indices into `Capture.types`.
    var types: Set<Int>
    /// A type of the program comes before one of a package that it depends on.
    var packages: Packages
  }

  /// - Parameter sizes: of the held objects, in their order.
  func findings(
    _ traces: NamedTraces, symbolicator: some Symbolicator, _ options: Analysis.Options, _ subjects: Subjects,
    _ sizes: RetainedSizes
  ) -> [Finding] {
    let names = PathNames(wantedNames, of: graph, symbolicator: symbolicator)
    let naming = PathNaming(names, in: graph, labels)
    var merger = FindingMerger()
    var finder = PathFinder(in: graph)
    let hints = self.hints(naming, traces, symbolicator)
    for (leak, hint) in zip(leaks, hints) { add(leak, hint, to: &merger, naming, traces, subjects) }
    let testCases = TestCaseHints(holders.lazy.compactMap { $0 }, naming, symbolicator)
    let found = held.indices.compactMap { index in
      holders[index].flatMap {
        heldFinding(held[index], sizes[index], $0, &finder, naming, testCases, traces, options)
      }
    }
    for held in HeldFinding.joined(found, subjects.packages) {
      merger.add(held.finding, held.allocated, [], in: traces)
    }
    return merger.findings(with: traces)
  }

  /// The frames that paths need names of.
  var pathFrames: Set<Frame> { wantedNames.frames(in: graph) }

  private var wantedNames: PathNames.Wanted {
    PathNames.Wanted(
      on: leaks.compactMap(\.path) + leaks.compactMap(\.cuts.other?.path) + holders.compactMap { $0?.path },
      origins: Set(holders.compactMap { $0?.origin }), tasks: Set(leaks.flatMap { $0.tasks(in: graph) }),
      functions: Set(leaks.lazy.flatMap(\.cuts.functions)), in: graph)
  }
}

// MARK: - Leaks

extension HeapFindings {
  private func add(
    _ leak: LeakTally, _ hint: Finding.Hint?, to merger: inout FindingMerger, _ naming: PathNaming,
    _ traces: NamedTraces, _ subjects: Subjects
  ) {
    let scope = reachability.scope
    guard let owner = scope.owner(leak.group.owner, allocatedAt: leak.allocations.stackTraces, in: traces)
    else { return }
    let label = taskLabel(of: leak.start, naming) ?? label(of: leak.start, traces)
    var finding = Finding(
      fingerprint: "", verdict: leak.group.verdict, certainty: leak.group.certainty,
      isLibraryLeak: isLibraryLeak(leak, traces), type: label.text, kind: label.kind,
      instances: leak.instances, objects: leak.objects, victims: leak.victims, bytes: leak.bytes,
      path: leak.path.map(naming.steps(round:)) ?? [], unexplainedRetains: leak.unexplainedRetains)
    finding.attribute(to: owner, of: scope.attribution)
    finding.victimTypes = victimTypes(of: leak)
    finding.hint = hint
    finding.otherCycle = otherCycle(of: leak, than: finding.path, hint, naming)
    finding.mayBeReleased = leak.isWeaklyReferenced
    finding.members = leak.members
    var doubts = leak.group.doubts
    if let object = leak.contradiction {
      doubts.insert(.contradiction)
      finding.remarks.append(
        "More references than retains were found for an object of \(self.label(of: object, traces).text).")
    }
    finding.certainty = Finding.Certainty(doubts)
    finding.remarks += Doubt.allCases.filter(doubts.contains).compactMap(\.remark)
    finding.remarks += remarks(onTasksOf: leak, naming)
    if leak.innerCycles > 0, hint.map({ $0.action.cuts }) ?? true {
      let cycles = leak.innerCycles == 1 ? "a cycle" : "\(leak.innerCycles) cycles"
      finding.remarks.append(
        "The objects that it keeps alive have \(cycles) of their own, to be broken too.")
    }
    if leak.unrecordedRetains > 0 {
      finding.remarks.append(
        "The recorded retains and releases differ from the strong counts by \(leak.unrecordedRetains).")
    }
    let sites = leak.allocations.all.sorted { $0.stackTrace < $1.stackTrace }
    let subject = subject(of: leak, from: subjects, naming, traces)
    merger.add(finding, as: subject, sites, leak.retainSites, in: traces) { Set($0.types.map(typeName)) }
  }

  /// The name of a type, shown with the call that allocated its objects, which says whose closures and boxes they are.
  private func typeName(_ type: Int) -> String {
    guard let label = labels[type] else { return ObjectKind.closureOrBox.rawValue }
    return CollectionName(storage: label.text)?.text ?? label.text
  }

  private func victimTypes(of leak: LeakTally) -> [Finding.VictimType] {
    let types = leak.victimTypes.map { Finding.VictimType(typeName($0.key), $0.value) }
    return Array(Finding.VictimType.sum(of: types).prefix(Finding.mostVictimTypes))
  }

  /// The second cycle, unless it is through the same properties, as in lists, or a call breaks all of them.
  private func otherCycle(
    of leak: LeakTally, than path: [Finding.PathStep], _ hint: Finding.Hint?, _ naming: PathNaming
  ) -> [Finding.PathStep] {
    guard let other = leak.cuts.other, hint.map({ $0.action == .declareWeak }) ?? true else { return [] }
    let steps = naming.steps(round: other.path)
    return Set(steps) == Set(path) ? [] : steps
  }

  /// Objects of a cycle that are searched for the subject of a test.
  private static let mostSubjects = 256

  /// The object of a cycle that a test tracks or calls its system under test: it has one of the types, or a function
  /// `makeSUT` created it, as the last of its objects. Otherwise one of the program's own, where the cycle is named after
  /// an object of a dependency.
  private func subject(
    of leak: LeakTally, from subjects: Subjects, _ naming: PathNaming, _ traces: NamedTraces
  ) -> Finding.Subject? {
    guard let path = leak.path else { return nil }
    let objects = ([path.start] + path.references.dropLast().lazy.map(graph.target)).prefix(Self.mostSubjects)
    let tracked = objects.firstIndex { subjects.types.contains(capture.objects[$0].type) }
    let made = objects.indices.filter { index in
      graph.kind(of: objects[index]) == .classInstance
        && traces.isSystemUnderTest(capture.objects[objects[index]].stackTrace)
    }
    let ofTest = tracked ?? made.max { isYounger(objects[$1], than: objects[$0]) }
    guard let index = ofTest ?? objects.firstIndex(where: { isOfProgram($0, subjects.packages) }),
      index > 0 || ofTest != nil
    else { return nil }
    let references = path.references[index...] + path.references[..<index]
    let cycle = ObjectPath(start: objects[index], references: Array(references))
    let label = label(of: cycle.start, traces)
    return Finding.Subject(
      type: label.text, kind: label.kind, path: naming.steps(round: cycle), isOfTest: ofTest != nil)
  }

  private func isOfProgram(_ object: Int, _ packages: Packages) -> Bool {
    guard graph.kind(of: object) == .classInstance,
      let label = labels[capture.objects[object].type], label.isUserDefined
    else { return false }
    return packages.isProgram(type: label.text)
  }

  private func isYounger(_ object: Int, than other: Int) -> Bool {
    capture.objects[object].sequence > capture.objects[other].sequence
  }

  /// In the order of the leaks.
  private func hints(
    _ naming: PathNaming, _ traces: NamedTraces, _ symbolicator: some Symbolicator
  ) -> [Finding.Hint?] {
    let tasks = TaskHints(naming: naming)
    let libraries = LibraryHints(naming: naming, traces: traces)
    let cycles = CycleHints(naming, traces, symbolicator)
    let drafts = leaks.map { tasks.hint(for: $0) ?? libraries.hint(for: $0) ?? cycles.hint(for: $0) }
    let properties = Set(drafts.lazy.compactMap { $0 }.flatMap(\.properties))
    let declarations = properties.isEmpty ? [:] : symbolicator.declarations(of: properties, in: capture)
    return drafts.map { $0?.located(by: declarations) }
  }

  /// A task is named after its function.
  private func taskLabel(of object: Int, _ naming: PathNaming) -> TypeLabel? {
    graph.task(of: object).flatMap { naming.names.tasks[$0]?.function }.map(TypeLabel.init(task:))
  }

  private static let mostTaskRemarks = 4

  /// The program's tasks first: they say more to the user than those of a package.
  private func remarks(onTasksOf leak: LeakTally, _ naming: PathNaming) -> [String] {
    let tasks = leak.tasks(in: graph).compactMap { task in naming.names.tasks[task].map { (task, $0) } }
    let ordered = tasks.filter { !$0.1.isOfPackage } + tasks.filter { $0.1.isOfPackage }
    return ordered.prefix(Self.mostTaskRemarks).map { remark($0)($1) }
  }

  /// Says where a task that nothing can resume is suspended, and what it waits for.
  private func remark(_ task: Int) -> (TaskName) -> String {
    { name in
      let awaited =
        switch (graph.heap.tasks[task].wait, name.suspension) {
        case (.task, _): "for the end of another task, which nothing reachable can resume"
        case (.group, _): "for the tasks of its group, which nothing reachable can resume"
        case (_, .stream): "for a stream whose continuation nothing reachable holds"
        case (.executor, _): "for its executor to run it, which nothing reachable refers to"
        case (.continuation, .observations): "for changes of an object that nothing reachable holds"
        case (.continuation, .continuation): "for a continuation that nothing reachable holds"
        default: "to be resumed, which nothing reachable can do"
        }
      let place = name.function.map { " in \($0)\(name.place.isEmpty ? "" : ", \(name.place)")" } ?? ""
      let state = graph.heap.tasks[task].state == .enqueued ? "enqueued" : "suspended"
      return "The task is \(state)\(place). It waits \(awaited)."
    }
  }

  /// Whether no object is of the program's types, and none was allocated by the program. Timers are, and
  /// Foundation retains each once for its run loop and never releases it.
  private func isLibraryLeak(_ leak: LeakTally, _ traces: NamedTraces) -> Bool {
    let isOfFoundation =
      labels[capture.objects[leak.start].type]?.text == "Foundation.Timer"
      && leak.unexplainedRetains <= leak.instances
    return !leak.mayBeUsers
      && (isOfFoundation || !leak.allocations.stackTraces.contains(where: traces.isAllocatedByUser))
  }

  private func label(of object: Int, _ traces: NamedTraces) -> TypeLabel {
    let record = capture.objects[object]
    return labels[record.type]
      ?? TypeLabel(capture.types[record.type], of: capture, record.stackTrace, traces)
  }
}

// MARK: - Held objects

extension HeapFindings {
  private func heldFinding(
    _ objects: HeldObjects, _ size: RetainedSizes.Size,
    _ holder: (origin: HolderSearch.Origin, path: ObjectPath),
    _ finder: inout PathFinder, _ naming: PathNaming, _ testCases: TestCaseHints, _ traces: NamedTraces,
    _ options: Analysis.Options
  ) -> HeldFinding? {
    let label = closureLabel(of: objects.nearest, naming) ?? label(of: objects.nearest, traces)
    let allocated = objects.allocations.all.filter { !traces.isAllocatedByTestRunner($0.stackTrace) }
    let isCollection = objects.collection != nil
    guard !allocated.isEmpty, !label.isThunk, isCollection || options.finds(label) else { return nil }
    if isCollection, !naming.isUserDefined(holder.origin) { return nil }
    let isEmpty = objects.elements == 0
    if isEmpty, objects.contents.storages == 0 { return nil }
    let scope = reachability.scope
    let stackTraces = objects.allocations.stackTraces
    guard let owner = scope.owner(objects.owner, allocatedAt: stackTraces, in: traces) else { return nil }
    let (steps, isCycle) = self.steps(holder, to: objects.nearest, &finder, naming)
    if isCollection || options.objects == nil, isFirstValue(stackTraces, of: holder.origin, steps[0], traces)
    {
      return nil
    }
    var finding = Finding(
      fingerprint: "", verdict: .heldBy,
      certainty: reachability.holders.isCertain(objects.nearest) ? .definite : .probable,
      type: label.text, kind: label.kind, instances: objects.count, objects: objects.count,
      bytes: size.bytes, path: steps, remarks: remarks(on: holder.origin, isCycle, naming))
    finding.attribute(to: owner, of: scope.attribution)
    finding.ownBytes = size.ownBytes
    if scope.namesMembers { finding.members = capture.members(objects.objects) }
    if isCollection { finding.describe(collections: objects) }
    if isEmpty { finding.remarks.append("The storage is reserved: it has no elements.") }
    let libraries = LibraryHints(naming: naming, traces: traces)
    finding.hint =
      libraries.hint(
        forOpen: objects.nearest, heldBy: steps.last, allocatedAt: allocated.map(\.stackTrace))
      ?? libraries.hint(forScheduledOn: holder.path)
      ?? hint(growing: objects, heldBy: holder.origin, traces) ?? testCases.hint(for: holder)
      ?? (isCollection ? nil : HolderHints(naming: naming).hint(for: holder, isCycle: isCycle))
    return HeldFinding(finding, allocated, owner: owner, by: isCollection ? nil : holder.origin, isCycle)
  }

  /// Whether the objects are the first value of a variable, or of a property of a test case, which XCTest makes before
  /// the first test: neither has grown.
  private func isFirstValue(
    _ stackTraces: some Sequence<UInt32>, of origin: HolderSearch.Origin, _ first: Finding.PathStep,
    _ traces: NamedTraces
  ) -> Bool {
    switch origin {
    case .variable: stackTraces.allSatisfy { traces.isFirstValue($0, of: first.type) }
    case .testCase: stackTraces.allSatisfy(traces.isMadeWithTestCase)
    case .task, .olderObject, .handler, .thread, .stack, .memory: false
    }
  }

  private func hint(
    growing objects: HeldObjects, heldBy origin: HolderSearch.Origin, _ traces: NamedTraces
  ) -> Finding.Hint? {
    switch origin {
    case .variable, .task:
      objects.elements == 0
        ? nil
        : growing(objects).map { capture.objects[$0].stackTrace }.flatMap {
          traces.isMadeAtOnce($0) ? nil : Finding.Hint(addingAt: traces.fromCallSite($0), traces)
        }
    case .testCase, .olderObject, .handler, .thread, .stack, .memory: nil
    }
  }

  /// The storage of the one collection that has grown by the objects. Where there are several, the owners have become
  /// more. Text and bytes have no elements to remove, and a continuation must be resumed or finished.
  private func growing(_ objects: HeldObjects) -> Int? {
    guard objects.collection != nil else { return objects.count > 1 ? objects.container : nil }
    let type = capture.types[capture.objects[objects.nearest].type]
    guard objects.elements != nil, objects.contents.storages <= 1, !type.name.holds("Continuation") else {
      return nil
    }
    switch ObjectKind(of: type) {
    case .dataStorage, .stringStorage: return nil
    default: return objects.nearest
    }
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
    let place = naming.names.tasks[index]?.function.map { " in \($0)" } ?? ""
    return (isCycle ? ["A task that has not ended\(place) keeps the objects alive."] : [])
  }
}

extension Finding {
  /// Describes the collections that the objects are parts of, instead of their storage.
  fileprivate mutating func describe(collections: HeldObjects) {
    let name = CollectionName(storage: type)
    (type, kind) = (name?.text ?? type, name?.kind ?? kind)
    elements = collections.elements
    remarks += collections.remarkOnRuns
  }
}
