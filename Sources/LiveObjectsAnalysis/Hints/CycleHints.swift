import LiveObjectsCapture

/// Chooses among the references of a leaked cycle those that the program should not own.
///
/// The reference from an object back to its owner comes first, then a closure that captures `self`, then a
/// delegate. Where several are equally likely, the hint names all of them.
struct CycleHints {
  /// References that a hint leaves to choose from.
  private static let mostAlternatives = 4

  private let naming: PathNaming
  private let traces: NamedTraces

  init(_ naming: PathNaming, _ traces: NamedTraces) {
    (self.naming, self.traces) = (naming, traces)
  }

  /// A reference that could be cut.
  private struct Candidate {
    var position: Int
    var place: DraftHint.Place
    /// Of a property, the path to it: `outer.inner.owner`.
    var property = ""

    var isSelf: Bool { place.place.captured == "self" }
    var isCertain: Bool { isSelf || place.place.capturesVariable }
    var isNested: Bool { property.components.count > 1 }
    var name: PropertyName { PropertyName(property) }
  }

  /// - Returns: `nil` where no reference is a likely mistake.
  func hint(for leak: LeakTally) -> DraftHint? {
    guard let path = leak.path, leak.group.verdict == .retainCycle else { return nil }
    if let other = leak.cuts.other, leak.group.certainty == .definite {
      return pair(of: other, path)
    }
    let single = leak.cuts.single.compactMap { candidate($0, path) }
    // Of a probable cycle, some references are guessed.
    return choice(among: leak.group.certainty == .definite ? single : single.filter(\.isCertain), path)
      ?? captures(leak.cuts.together, path)
  }

  private func captures(_ cuts: [Cuts.OnPath], _ path: ObjectPath) -> DraftHint? {
    let candidates = cuts.compactMap { candidate($0, path) }
    return candidates.isEmpty || candidates.count < cuts.count ? nil : hint(to: .captureWeakly, candidates)
  }

  /// A cut of each of two cycles, where both are clear and no other two are.
  private func pair(of other: Cuts.OtherCycle, _ path: ObjectPath) -> DraftHint? {
    let pairs = other.pairs.compactMap { pair -> [Candidate]? in
      guard let first = candidate(pair.first, path), isBackReference(first, path),
        let second = candidate(pair.second, other.path), isBackReference(second, other.path)
      else { return nil }
      return [first, second]
    }
    return pairs.count == 1 ? hint(to: .declareWeak, pairs[0]) : nil
  }

  private func choice(among candidates: [Candidate], _ path: ObjectPath) -> DraftHint? {
    let likely = [
      candidates.filter { isBackReference($0, path) }, candidates.filter(\.isSelf),
      candidates.filter(\.name.isObserver),
      candidates.filter { !$0.isNested && ($0.property.isEmpty || !mayOwn($0, path)) },
    ]
    guard let best = likely.first(where: { !$0.isEmpty }), best.count <= Self.mostAlternatives else {
      return nil
    }
    guard best.count == 1 else { return hint(to: .makeOneWeak, best) }
    return hint(to: best[0].property.isEmpty ? .captureWeakly : .declareWeak, best)
  }

  private func hint(to action: Finding.Hint.Action, _ candidates: [Candidate]) -> DraftHint {
    DraftHint(action: action, places: candidates.map(\.place))
  }
}

// MARK: - Candidates

extension CycleHints {
  private var graph: ReferenceGraph { naming.graph }

  /// - Returns: `nil` for code that is not the program's, or has no name.
  private func candidate(_ cut: Cuts.OnPath, _ path: ObjectPath) -> Candidate? {
    let reference = path.references[cut.position]
    if let function = cut.cut.function {
      return closure(function, capturing: reference).map { Candidate(position: cut.position, place: $0) }
    }
    return property(reference).map {
      Candidate(position: cut.position, place: $0, property: naming.label(reference).text)
    }
  }

  /// A closure that keeps a future of SwiftNIO waits for it: the future is to be completed, not captured weakly.
  private func closure(_ function: UInt32, capturing reference: Int) -> DraftHint.Place? {
    guard !naming.name(of: graph.target(reference)).hasPrefix("NIOCore.EventLoopFuture<"),
      let closure = naming.names.functions[function]
    else { return nil }
    let captured = naming.captured(by: reference, closure: closure.qualifiedFunction)
    return Finding.Hint.Place(closure, captured: captured).map { DraftHint.Place($0) }
  }

  private func type(of object: Int) -> Int { graph.capture.objects[object].type }

  /// The references of a pipeline of SwiftNIO are removed when its channel is closed, and none is to be weak.
  ///
  /// - Returns: `nil` where either object is a library's.
  private func property(_ reference: Int) -> DraftHint.Place? {
    let source = graph.source(reference)
    let type = type(of: source)
    guard !naming.name(of: source).hasPrefix("NIOCore.Channel"),
      let label = naming.labels[type], label.isUserDefined,
      naming.labels[self.type(of: graph.target(reference))]?.isUserDefined == true
    else { return nil }
    let path = naming.label(reference).text
    let place = Finding.Hint.Place(kind: .property, name: "\(label.text).\(path)")
    guard path.components.count == 1 else { return DraftHint.Place(place) }
    let types = [label.text] + (graph.heap.superclasses[type] ?? []).map { TypeName($0).text }
    // The metadata of a generic class may lie in the runtime's own memory.
    let image = graph.capture.types[type].image.flatMap { graph.capture.images[$0].isSystem ? nil : $0 }
    return DraftHint.Place(
      place, StoredProperty(name: path, types: types.map(\.withoutArguments), image: image))
  }
}

// MARK: - Owners

extension CycleHints {
  /// Whether a property refers back to the object that owns its own object: by its name, or because the owner
  /// contains it in a struct or a collection, or created it.
  private func isBackReference(_ candidate: Candidate, _ path: ObjectPath) -> Bool {
    guard !candidate.property.isEmpty else { return false }
    let reference = path.references[candidate.position]
    let (object, owner) = (graph.source(reference), graph.target(reference))
    if candidate.name.isBack || isElement(before: candidate.position, of: owner, path) { return true }
    // Which of an object's values refers to the one that created it says less: only one to itself is clear.
    if candidate.isNested { return path.references.count == 1 }
    return isCreated(object, by: owner) && !isCreated(owner, by: object)
  }

  /// Whether a value refers back, of a protocol or an enum for instance: it cannot be declared weak as it is, and is the
  /// likely mistake.
  private func hasValueBack(_ path: ObjectPath) -> Bool {
    path.references.contains { reference in
      let label = naming.label(reference)
      let name = PropertyName(label.text)
      return label.kind == .property && (name.isObserver || name.isBack)
    }
  }

  /// Whether the program may need the property to be strong: its object created the other one, which nothing else would
  /// keep, or another reference is the one back.
  private func mayOwn(_ candidate: Candidate, _ path: ObjectPath) -> Bool {
    let reference = path.references[candidate.position]
    let (object, target) = (graph.source(reference), graph.target(reference))
    return type(of: object) != type(of: target) && isCreated(target, by: object) || hasValueBack(path)
  }

  /// Whether the object at a position is an element of one of the owner's collections. Observers are not its parts.
  private func isElement(before position: Int, of owner: Int, _ path: ObjectPath) -> Bool {
    var index = (position + path.references.count - 1) % path.references.count
    guard naming.label(path.references[index]).kind.isElement else { return false }
    while index != position, naming.isPartOfHolder(graph.source(path.references[index])) {
      index = (index + path.references.count - 1) % path.references.count
    }
    let reference = path.references[index]
    return graph.source(reference) == owner && !PropertyName(naming.label(reference).text).isObserver
  }

  /// Whether a method or initialiser of the owner's type allocated the object.
  private func isCreated(_ object: Int, by owner: Int) -> Bool {
    let type = naming.name(of: owner).withoutArguments + "."
    return traces.fromCallSite(graph.capture.objects[object].stackTrace).contains { frame in
      traces.frames[frame].source.isUserCode && traces.frames[frame].method.hasPrefix(type)
    }
  }
}

extension NamedFrame {
  /// The method without the closures in it.
  fileprivate var method: Substring {
    let start = qualifiedFunction.end(ofLast: " in ") ?? qualifiedFunction.startIndex
    return qualifiedFunction[start...].trimmingPrefix("static ")
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
