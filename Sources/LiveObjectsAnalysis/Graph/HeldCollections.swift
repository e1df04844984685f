import LiveObjectsCapture

/// The arrays, dictionaries, sets, strings and `Data` that the program's own objects, closures and variables
/// hold.
///
/// A collection consists of its storage and of all that only the toolchain's types lead to from there: the
/// storage of its elements, their boxes. An object of the program's own type is no part of it, but an owner of
/// further collections.
struct HeldCollections {
  /// The part that objects of a type have in a path.
  private enum Role {
    /// Of the program's own type, a closure or a task: an owner of collections.
    case own
    /// The storage of an array, a dictionary, a set, a string or `Data`, or memory without a type, which may be that of
    /// a container of the program's own.
    case storage
    /// A box: part of what holds it.
    case box
    /// Of another type of the toolchain, which the program does not look into, or a test case, which XCTest keeps
    /// with collections of its own until the process ends.
    case other
  }

  private static let ofOwner: Int32 = -1
  private static let none: Int32 = -2

  private let reachability: ReachabilityAnalysis
  /// By index into `Capture.types`.
  private let roles: [Role]
  /// By signature: the signature of the collection that the object is a part of, `ofOwner` or `none`.
  private var collections: [Int32] = []

  /// - Parameter labels: by index into `Capture.types`.
  init(in reachability: ReachabilityAnalysis, _ labels: [TypeLabel?]) {
    self.reachability = reachability
    let graph = reachability.graph
    roles = graph.capture.types.indices.map { type in
      graph.isTestCaseClass(type) ? .other : Self.role(of: graph.capture.types[type], labels[type])
    }
    let signatures = reachability.signatures
    collections.reserveCapacity(signatures.steps.count)
    for (number, step) in signatures.steps.enumerated() {
      let holder =
        step.holder < 0 ? outside(signatures.origins[Int(step.origin)]) : collections[Int(step.holder)]
      collections.append(collection(Int32(number), role(of: step), heldBy: holder))
    }
  }

  /// A closure that captured nothing else may have a storage for its context.
  private func role(of step: HeldSignatures.Step) -> Role {
    let role = roles[Int(step.type)]
    return step.function == .max || role == .storage ? role : .own
  }

  private func collection(_ signature: Int32, _ role: Role, heldBy holder: Int32) -> Int32 {
    switch role {
    case .own: Self.ofOwner
    case .storage: holder == Self.ofOwner ? signature : holder
    case .box: holder
    case .other: holder == Self.ofOwner ? Self.none : holder
    }
  }

  /// The holder of an object that a search started from.
  private func outside(_ origin: HolderSearch.Origin) -> Int32 {
    switch origin {
    case .variable, .task: Self.ofOwner
    case .testCase, .olderObject, .handler, .thread, .stack, .memory: Self.none
    }
  }

  private static func role(of type: TypeDescription, _ label: TypeLabel?) -> Role {
    switch type.kind {
    case .genericBox, .closureContextOrBox: return .box
    case .rawBuffer: return .storage
    case .task: return .own
    case .classInstance, .errorBox, .other: break
    }
    guard let label, !label.isUserDefined else { return .own }
    return CollectionName(storage: label.text) == nil ? .other : .storage
  }

  /// The signature of the collection that objects of a signature are parts of.
  func collection(of signature: Int32) -> Int32? {
    let collection = collections[Int(signature)]
    return collection >= 0 ? collection : nil
  }

  /// The storage that a collection refers to, and the object that holds it, where it is not held by a variable.
  func storage(of part: Int) -> (object: Int, holder: Int?) {
    let signatures = reachability.signatures.signatures
    let collection = collections[Int(signatures[part])]
    var object = part
    while let arrival = reachability.holders.arrival(at: object) {
      let holder = reachability.graph.source(arrival)
      guard signatures[object] != collection else { return (object, holder) }
      object = holder
    }
    return (object, nil)
  }

  /// The storage of the collection that has an object as an element, in a box, or captured by a closure.
  func container(of object: Int) -> Int? {
    let graph = reachability.graph
    var object = object
    for _ in 0...Self.mostBoxes {
      guard let arrival = reachability.holders.arrival(at: object) else { return nil }
      object = graph.source(arrival)
      switch roles[graph.capture.objects[object].type] {
      case .storage: return object
      case .box: continue
      case .own, .other: return nil
      }
    }
    return nil
  }

  /// The number of references by which a part of a collection holds objects of the program's own types, and
  /// closures.
  fileprivate func ownElements(of part: Int) -> Int {
    let graph = reachability.graph
    return graph.references(from: part).count { index in
      let reference = graph.heap.references[index]
      let target = Int(reference.target)
      guard graph.mayHold(index), graph.kind(of: target) != .task else { return false }
      return reference.function != nil || roles[graph.capture.objects[target].type] == .own
    }
  }

  /// The number of elements in a storage, for `Data` of bytes; `nil` for a string, and where it is not known.
  fileprivate func elements(in storage: Int) -> Int? { reachability.graph.heap.elements(in: storage) }

  /// By signature: the elements of no collection yet.
  var noElements: [Int?] { [Int?](repeating: 0, count: collections.count) }

  /// Adds the elements of the collection that has this storage.
  func count(_ storage: Int, _ signature: Int32, in elements: inout [Int?]) {
    elements[Int(signature)] = self.elements(in: storage).flatMap { more in
      elements[Int(signature)].map { $0 + more }
    }
  }

  /// Whether only the program's own pointer leads to it. Words may be old, and lead to memory of the runtime.
  private func isOwnMemory(_ buffer: Int) -> Bool {
    guard let arrival = reachability.holders.arrival(at: buffer) else { return true }
    return reachability.graph.isUnmanaged(arrival)
  }

  /// Whether it consists of bytes, not of elements that may be objects, or of elements that nothing counts.
  private func isText(_ storage: Int) -> Bool {
    let graph = reachability.graph
    switch ObjectKind(of: graph.capture.types[graph.capture.objects[storage].type]) {
    case .stringStorage, .dataStorage, .rawBuffer: return true
    default: return false
    }
  }

  /// Bytes of a storage without elements that are worth a finding.
  private static let leastReserved: UInt64 = 64 << 10

  /// Bytes of strings and `Data` that are worth a finding: names and the like are smaller.
  private static let leastText = 1024

  /// Whether collections that are held at equal paths are a finding of their own.
  ///
  /// They are none where their elements are objects of the program's own types: these are findings already.
  /// And the contents of objects that are findings belong to these, unless each of them has at least as many
  /// elements as there are objects: a thousand users have a thousand names, but one store has a thousand
  /// entries.
  func isFinding(_ objects: HeldObjects, isFound: (Int) -> Bool) -> Bool {
    let contents = objects.contents
    let isText = isText(objects.nearest)
    if reachability.graph.kind(of: objects.nearest) == .rawBuffer, !isOwnMemory(objects.nearest) {
      return false
    }
    guard contents.storages > 0 else { return ownElements(of: objects.nearest) == 0 }
    if contents.elements == 0 { return bytes(of: objects) / UInt64(contents.storages) >= Self.leastReserved }
    if isText, bytes(of: objects) < Self.leastText, contents.elements ?? 0 < Self.leastText { return false }
    // Memory without a type may have a few old words that have the addresses of such objects.
    guard contents.ownElements < max(contents.elements ?? objects.count / 2, 1) else { return false }
    guard let holder = storage(of: objects.nearest).holder, isFound(owner(holder)) else { return true }
    if isText { return contents.storages == 1 }
    return contents.elements.map { $0 / contents.storages >= contents.storages } ?? true
  }

  private func bytes(of objects: HeldObjects) -> UInt64 {
    objects.objects.reduce(into: 0) {
      $0.add(saturating: reachability.graph.capture.objects[Int($1)].bytes)
    }
  }

  /// More than values are nested; but a list may consist of boxes.
  private static let mostBoxes = 16

  /// The object that a box is a part of.
  private func owner(_ holder: Int) -> Int {
    let graph = reachability.graph
    var owner = holder
    for _ in 0..<Self.mostBoxes {
      guard roles[graph.capture.objects[owner].type] == .box, reachability.function(of: owner) == nil,
        let arrival = reachability.holders.arrival(at: owner)
      else { break }
      owner = graph.source(arrival)
    }
    return owner
  }
}

/// What the parts of collections amount to.
struct CollectionContents {
  /// Storages that properties and variables refer to.
  private(set) var storages = 0
  /// The elements in these; `nil` where it is not known.
  private(set) var elements: Int? = 0
  /// References to objects of the program's own types, and closures.
  private(set) var ownElements = 0

  mutating func add(_ part: Int, isStorage: Bool, _ collections: HeldCollections) {
    ownElements += collections.ownElements(of: part)
    guard isStorage else { return }
    storages += 1
    elements = collections.elements(in: part).flatMap { more in elements.map { $0 + more } }
  }
}
