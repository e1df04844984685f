import LiveObjectsCapture

/// Chooses the reference of a leaked cycle that the program should not own, or names what else ends the cycle.
///
/// A hint is a claim about the program after the change: without the reference its target has to be owned by something
/// outside of the cycle. `choice(among:_:_:)` has the rules, `Owners` the evidence.
struct CycleHints {
  /// References that a hint leaves to choose from.
  private static let mostAlternatives = 4

  private let naming: PathNaming
  private let traces: NamedTraces
  private let symbolicator: any Symbolicator

  init(_ naming: PathNaming, _ traces: NamedTraces, _ symbolicator: any Symbolicator) {
    (self.naming, self.traces, self.symbolicator) = (naming, traces, symbolicator)
  }

  /// A reference that could be cut.
  private struct Candidate {
    var onPath: Cuts.OnPath
    /// `nil` where nothing is known that ends the cycle there.
    var action: Finding.Hint.Action?
    var place: DraftHint.Place?
    /// Of a property, or of the one whose collection has the object.
    var name = PropertyName("")
    /// Of an element of a collection: whether a method of its own added it.
    var isAddedByItself = false

    var isSelf: Bool {
      (action == .captureWeakly || action == .resumeDispatchObject) && place?.place.captured == "self"
    }
    var isVariable: Bool { place?.place.capturesVariable ?? false }
    var isWeak: Bool { action == .captureWeakly || action == .declareWeak }
    var isProperty: Bool { action == .declareWeak || action == .limitProtocol }
  }

  /// - Returns: `nil` where no change is known to be right.
  func hint(for leak: LeakTally) -> DraftHint? {
    guard let path = leak.path, leak.group.verdict == .retainCycle else { return nil }
    let owners = Owners(of: leak, naming, traces, symbolicator)
    if let other = leak.cuts.other, leak.group.certainty == .definite,
      let pair = pair(of: other, path, owners)
    {
      return pair
    }
    let single = leak.cuts.single.map { candidate($0, path, owners) }
    // Of a probable cycle, some references are guessed.
    let certain = leak.group.certainty == .definite ? single : single.filter { $0.isSelf || $0.isVariable }
    return choice(among: certain, path, owners) ?? captures(leak.cuts.together, path, owners)
  }

  private func captures(_ cuts: [Cuts.OnPath], _ path: ObjectPath, _ owners: Owners) -> DraftHint? {
    let candidates = cuts.map { candidate($0, path, owners) }
    let isRight = candidates.allSatisfy { $0.action == .captureWeakly && isOwned($0, owners) }
    return isRight && !candidates.isEmpty ? hint(to: .captureWeakly, candidates) : nil
  }

  /// A cut of each of two cycles, where both are clear and no other two are.
  private func pair(of other: Cuts.OtherCycle, _ path: ObjectPath, _ owners: Owners) -> DraftHint? {
    let pairs = other.pairs.compactMap { pair -> [Candidate]? in
      let (first, second) = (candidate(pair.first, path, owners), candidate(pair.second, other.path, owners))
      return isBackReference(first, path, owners) && isBackReference(second, other.path, owners)
        ? [first, second] : nil
    }
    return pairs.count == 1 ? hint(to: .declareWeak, pairs[0]) : nil
  }

  /// Documentation/internals/causes-and-hints.md has the case that would break without each of these rules.
  private func choice(among candidates: [Candidate], _ path: ObjectPath, _ owners: Owners) -> DraftHint? {
    let safe = candidates.filter { isOwned($0, owners) && !isCreated($0, path, owners) }
    let likely = [
      safe.filter(\.isSelf), safe.filter(\.name.isBack), safe.filter(\.name.isObserver),
      safe.filter { isOfElement($0, path, owners) }, safe.filter(\.isAddedByItself),
    ]
    return hint(for: likely.first { !$0.isEmpty } ?? safe, path)
  }

  /// Of several references, each must be one that can be weak; or the one that can be leads to the object that was there
  /// first.
  private func hint(for equal: [Candidate], _ path: ObjectPath) -> DraftHint? {
    let weak = equal.filter(\.isWeak)
    if equal.count == 1 { return equal[0].action.map { hint(to: $0, equal) } }
    if weak.count == equal.count {
      return weak.isEmpty || weak.count > Self.mostAlternatives ? nil : hint(to: .makeOneWeak, weak)
    }
    guard weak.count == 1, let action = weak[0].action, isFirst(weak[0], among: equal, path) else {
      return nil
    }
    return hint(to: action, weak)
  }

  private func hint(to action: Finding.Hint.Action, _ candidates: [Candidate]) -> DraftHint {
    DraftHint(action: action, places: candidates.compactMap(\.place))
  }
}

// MARK: - Candidates

extension CycleHints {
  private var graph: ReferenceGraph { naming.graph }

  private func candidate(_ cut: Cuts.OnPath, _ path: ObjectPath, _ owners: Owners) -> Candidate {
    let reference = path.references[cut.position]
    switch cut.cut {
    case .capture(let function, _): return capture(cut, function, path, owners)
    case .variable(let function, _):
      let next = path.references[(cut.position + 1) % path.references.count]
      let place = closure(
        function, capturing: reference, ofFunction: graph.heap.references[next].function != nil)
      return Candidate(onPath: cut, action: place.map { _ in .setToNil }, place: place)
    case .property:
      let place = property(reference)
      return Candidate(
        onPath: cut, action: place.map { _ in action(for: reference) }, place: place,
        name: PropertyName(naming.label(reference).text))
    case .assignment: return Candidate(onPath: cut)
    case .value: return value(cut, path, owners)
    }
  }

  /// A property of an object that refers to the object itself keeps it on purpose, until an operation ends. A weak one
  /// would be no use.
  private func action(for property: Int) -> Finding.Hint.Action {
    let label = naming.label(property)
    if label.declaration?.openProtocol != nil { return .limitProtocol }
    return graph.source(property) == graph.target(property) && label.text.components.count == 1
      ? .setToNil : .declareWeak
  }

  private func capture(
    _ cut: Cuts.OnPath, _ function: UInt32, _ path: ObjectPath, _ owners: Owners
  ) -> Candidate {
    let reference = path.references[cut.position]
    guard let place = closure(function, capturing: reference) else { return Candidate(onPath: cut) }
    let action: Finding.Hint.Action? =
      if place.place.capturesVariable {
        .setToNil
      } else if isSuspended(cut.position, path) {
        .resumeDispatchObject
      } else if naming.label(reference).kind == .capture, naming.label(reference).text.contains("\t") {
        // Of a value, no part can be captured weakly.
        .captureParts
      } else {
        place.place.captured == "self"
          || owners.isOwned(
            graph.target(reference), besideClosure: place.place.name, in: graph.source(reference))
          ? .captureWeakly : nil
      }
    return Candidate(onPath: cut, action: action, place: place)
  }

  /// Whether a dispatch source or queue that is suspended has the closure. Released in this state, it ends the process.
  private func isSuspended(_ position: Int, _ path: ObjectPath) -> Bool {
    let count = path.references.count
    return (0..<min(3, count)).contains { before in
      let label = naming.label(path.references[(position + count - before) % count]).text
      return label.hasSuffix(" (suspended)") || label.hasSuffix(" (not activated)")
    }
  }

  /// What a property has as a value of another type, or as an element of its collection.
  private func value(_ cut: Cuts.OnPath, _ path: ObjectPath, _ owners: Owners) -> Candidate {
    let reference = path.references[cut.position]
    var candidate = Candidate(onPath: cut)
    candidate.name = PropertyName(naming.label(path.references[holding(cut.position, path)]).text)
    guard naming.label(reference).kind.isElement else { return candidate }
    let storage = graph.source(reference)
    let holder = graph.source(path.references[holding(cut.position, path)])
    candidate.isAddedByItself = owners.isAdder(graph.target(reference), to: storage, of: holder)
    if let call = traces.call(adding: graph.capture.objects[storage].stackTrace) {
      (candidate.action, candidate.place) = (.removeEntry, DraftHint.Place(call))
    }
    return candidate
  }

  /// A closure that keeps a future of SwiftNIO waits for it: the future is to be completed, not captured weakly.
  private func closure(
    _ function: UInt32, capturing reference: Int, ofFunction isFunction: Bool = false
  ) -> DraftHint.Place? {
    guard !naming.name(of: graph.target(reference)).hasPrefix("NIOCore.EventLoopFuture<"),
      let closure = naming.names.functions[function]
    else { return nil }
    let captured =
      isFunction
      ? "captured function variable" : naming.captured(by: reference, closure: closure.qualifiedFunction)
    return Finding.Hint.Place(closure, captured: captured).map { DraftHint.Place($0) }
  }

  private func type(of object: Int) -> Int { graph.capture.objects[object].type }

  /// The references of a pipeline of SwiftNIO are removed when its channel is closed, and none is to be weak.
  ///
  /// - Returns: `nil` where either type is a library's.
  private func property(_ reference: Int) -> DraftHint.Place? {
    let (object, label) = (graph.source(reference), naming.label(reference))
    let declaring = label.declaration?.type
    // A struct may be in a collection or in a box.
    let holder = naming.isPartOfHolder(object) ? declaring : naming.labels[type(of: object)]?.text
    let path = naming.isPartOfHolder(object) ? label.property : label.text
    guard let holder, !holder.hasPrefix("NIOCore.Channel"),
      [holder, declaring ?? holder, naming.name(of: graph.target(reference))].allSatisfy({
        TypeName($0).isUserDefined
      })
    else { return nil }
    var place = Finding.Hint.Place(kind: .property, name: "\(holder).\(path)")
    place.isConstant = label.declaration?.isConstant ?? false
    return DraftHint.Place(place, storedProperty(label, of: type(of: object)))
  }

  private func storedProperty(_ label: ReferenceLabel, of type: Int) -> StoredProperty? {
    if let declaration = label.declaration {
      return StoredProperty(name: label.property, types: [declaration.type], image: nil)
    }
    guard label.text.components.count == 1 else { return nil }
    return StoredProperty(
      name: label.text, types: naming.classNames(of: type), image: naming.programImage(of: type))
  }
}

// MARK: - What is known of the objects

extension CycleHints {
  /// Whether all that the cut leaves without an owner in the cycle may have one outside of it. A variable needs none.
  private func isOwned(_ candidate: Candidate, _ owners: Owners) -> Bool {
    candidate.isVariable
      || candidate.onPath.heads.allSatisfy { naming.isPartOfHolder($0) || owners.mayOwn($0) }
  }

  /// Whether a weak property would lose its object at once: code that creates one stores it there.
  private func isCreated(_ candidate: Candidate, _ path: ObjectPath, _ owners: Owners) -> Bool {
    let reference = path.references[candidate.onPath.position]
    return candidate.isProperty
      && owners.isCreated(graph.target(reference), in: naming.label(reference).property)
  }

  /// Whether a property refers back to the object that owns its own object: by its name, or because the owner has it in
  /// a collection, or created it.
  private func isBackReference(_ candidate: Candidate, _ path: ObjectPath, _ owners: Owners) -> Bool {
    guard candidate.action == .declareWeak, isOwned(candidate, owners) else { return false }
    return candidate.name.isBack || isOfElement(candidate, path, owners)
      || !owners.mayOwn(graph.source(path.references[candidate.onPath.position]))
  }

  /// Whether a property refers to the object that has the property's own in a collection. Observers, and objects that
  /// add themselves, are not its parts.
  private func isOfElement(_ candidate: Candidate, _ path: ObjectPath, _ owners: Owners) -> Bool {
    guard candidate.isProperty else { return false }
    let (count, position) = (path.references.count, candidate.onPath.position)
    let (reference, element) = (path.references[position], path.references[(position + count - 1) % count])
    let holder = path.references[holding((position + count - 1) % count, path)]
    return naming.label(element).kind.isElement && graph.heap.references[element].function == nil
      && graph.source(holder) == graph.target(reference)
      && !PropertyName(naming.label(holder).text).isObserver
      && !owners.isAdder(graph.source(reference), to: graph.source(element), of: graph.source(holder))
  }

  /// The position of the reference of the object whose collection or box the reference at a position is in.
  private func holding(_ position: Int, _ path: ObjectPath) -> Int {
    let before = { (index: Int) in (index + path.references.count - 1) % path.references.count }
    var index = position
    while naming.isPartOfHolder(graph.source(path.references[index])), before(index) != position {
      index = before(index)
    }
    return index
  }

  /// Whether the object that a reference leads to was there first, and no other reference is that of a box.
  private func isFirst(_ candidate: Candidate, among equal: [Candidate], _ path: ObjectPath) -> Bool {
    let others = equal.filter { $0.onPath.position != candidate.onPath.position }
    let target = { (candidate: Candidate) in graph.target(path.references[candidate.onPath.position]) }
    let age = { (candidate: Candidate) in graph.capture.objects[target(candidate)].sequence }
    return others.allSatisfy { other in
      other.action == nil && age(candidate) < age(other)
        && !naming.name(of: graph.source(path.references[other.onPath.position])).hasSuffix(">")
    }
  }
}

extension ReferenceLabel.Kind {
  fileprivate var isElement: Bool {
    switch self {
    case .element, .key, .value, .member: true
    default: false
    }
  }
}

extension Finding.Hint.Place {
  /// A closure of the program's own.
  init?(_ closure: SourceFrame, captured: String) {
    guard closure.isUserCode, let kind = closure.function.flatMap(Kind.init(ofClosure:)) else { return nil }
    self.init(
      kind: kind, name: closure.qualifiedFunction, captured: captured,
      file: closure.line == nil ? nil : closure.file, line: closure.line)
  }
}

extension Finding.Hint.Place.Kind {
  /// - Returns: `nil` for a function that is written elsewhere, and captures nothing.
  fileprivate init?(ofClosure name: String) {
    if name.hasPrefix("closure #") {
      self = .closure
    } else if name.hasPrefix("implicit closure #") {
      self = .implicitClosure
    } else if name.prefix(before: "(").contains(" #") {
      self = .localFunction
    } else {
      return nil
    }
  }
}
