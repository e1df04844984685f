import LiveObjectsCapture

/// Which objects of a leaked cycle something outside of it owns, as far as the calls that allocated them show.
///
/// An object that a method or initialiser of another one's type created may have no owner but that one.
struct Owners {
  private let naming: PathNaming
  private let traces: NamedTraces
  /// The program's classes in the cycle and their superclasses, without generic arguments.
  private let types: Set<String>
  private let symbolicator: any Symbolicator

  init(
    of leak: LeakTally, _ naming: PathNaming, _ traces: NamedTraces, _ symbolicator: any Symbolicator
  ) {
    (self.naming, self.traces, self.symbolicator) = (naming, traces, symbolicator)
    // A cycle may have a million objects: no hash for each.
    var isThere = [Bool](repeating: false, count: naming.labels.count)
    for object in leak.group.core { isThere[naming.graph.capture.objects[Int(object)].type] = true }
    let own = isThere.indices.filter {
      isThere[$0] && naming.labels[$0].map { $0.isUserDefined && $0.kind.isInstance } ?? false
    }
    types = own.reduce(into: []) { $0.formUnion(naming.classNames(of: $1)) }
  }

  /// Whether the object may be owned from outside: it is one of the program's, and no other object of the cycle has
  /// created it.
  func mayOwn(_ object: Int) -> Bool {
    let type = naming.graph.capture.objects[object].type
    guard let label = naming.labels[type], label.isUserDefined, label.kind.isInstance else { return false }
    let own = Set(naming.classNames(of: type))
    return !creators(of: object).contains { frame in
      guard let context = frame.context(among: types) else { return false }
      // A static function has no object, and an initialiser of its own may call another one.
      return !own.contains(context) || !(frame.isInitializer || frame.isStatic)
    }
  }

  /// Calls of functions that return a new object to each other.
  private static let mostFactories = 4

  /// Whether the call that created the object, or a function that returned it, stored it in this property: nothing else
  /// has owned it. So does code beside these that fills the property with a new one.
  func isCreated(_ object: Int, in property: String) -> Bool {
    let creators = creators(of: object).prefix(Self.mostFactories)
    let type = naming.classNames(of: naming.graph.capture.objects[object].type).first?.components.last
    let callees = [type] + creators.map { $0.member.name.prefix(before: "(").components.last }
    return zip(callees, creators).contains { callee, creator in
      guard let callee, let file = creator.source.file, let line = creator.source.line else { return false }
      return symbolicator.stores(String(callee), in: property, at: SourceLine(file: file, line: line))
    }
  }

  /// Whether the object is owned by more than the closures of one function: that function has not created it, or is
  /// the outermost one of the program, whose variables outlive what it calls.
  ///
  /// - Parameters:
  ///   - closure: the name of a closure that captures it.
  ///   - context: of that closure, or the object that has the closure.
  func isOwned(_ object: Int, besideClosure closure: String, in context: Int) -> Bool {
    let creators = creators(of: object)
    guard let creator = creators.first else { return false }
    if creators.dropFirst().allSatisfy(\.source.isEntryPoint) { return true }
    let makers = naming.isContext(context) ? frames(of: context).map(\.qualifiedFunction) : []
    let function = String(closure[(closure.end(ofLast: " in ") ?? closure.startIndex)...])
    return !makers.contains(creator.qualifiedFunction)
      && !creators.contains { $0.qualifiedFunction == function }
  }

  /// Whether a method of the object allocated the latest memory of a collection that another one has.
  func isAdder(_ object: Int, to storage: Int, of holder: Int) -> Bool {
    let types = [object, holder].map { Set(naming.classNames(of: naming.graph.capture.objects[$0].type)) }
    let own = types[0].subtracting(types[1])
    return frames(of: storage).contains { !$0.isInitializer && $0.context(among: own) != nil }
  }

  /// The program's functions that led to the allocation, innermost first, without the object's own initialiser.
  private func creators(of object: Int) -> ArraySlice<NamedFrame> {
    let own = Set(naming.classNames(of: naming.graph.capture.objects[object].type))
    let frames = frames(of: object)
    let isOwn = frames.first.map { $0.isInitializer && $0.context(among: own) != nil } ?? false
    return frames.dropFirst(isOwn ? 1 : 0)
  }

  private func frames(of object: Int) -> [NamedFrame] {
    traces.fromCallSite(naming.graph.capture.objects[object].stackTrace).map { traces.frames[$0] }
      .filter { $0.origin == .user && !$0.isCompilerGenerated }
  }
}

extension NamedFrame {
  fileprivate var isStatic: Bool { member.isStatic }

  /// The function without the closures in it.
  fileprivate var member: (name: Substring, isStatic: Bool) {
    let start = [" in ", " of "].compactMap { qualifiedFunction.end(ofLast: $0) }.max()
    let name = qualifiedFunction[(start ?? qualifiedFunction.startIndex)...]
    let method = name.trimmingPrefix("static ")
    return (method, method.startIndex != name.startIndex)
  }

  /// The type whose member the function is, if it is one of these.
  fileprivate func context(among types: Set<String>) -> String? {
    let components = member.name.prefix(before: "(").components
    let isAccessor = components.last.map { PathWriter.accessors.contains($0) } ?? false
    let type = components.dropLast(isAccessor ? 2 : 1).joined(separator: ".")
    return types.contains(type) ? type : nil
  }
}
