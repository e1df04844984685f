import LiveObjectsCapture

/// Objects of one owner with equal paths from their holder.
struct HeldObjects {
  private struct Key: Hashable {
    var signature: Int32
    var owner: ObjectOwner
  }

  let owner: ObjectOwner
  /// The object that is nearest to the holder.
  var nearest: Int
  var count = 0
  var bytes: UInt64 = 0
  var allocations = StackTraceCounts()
  /// All of them, where findings list their objects.
  var members: [Int] = []

  /// - Parameter isEvaluated: the objects that count and may be shown.
  static func all(in reachability: ReachabilityAnalysis, isEvaluated: (Int) -> Bool) -> [HeldObjects] {
    var numbers = Numbering<Key>()
    var all: [HeldObjects] = []
    for object in reachability.holders.order.lazy.map(Int.init) {
      guard isEvaluated(object), let signature = reachability.signature(of: object) else { continue }
      let scope = reachability.scope
      let key = Key(signature: signature, owner: scope.reportedOwner(of: object))
      let index = numbers.number(of: key)
      if index == all.count { all.append(HeldObjects(owner: key.owner, nearest: object)) }
      all[index].add(reachability.graph.capture.objects[object])
      if scope.namesMembers { all[index].members.append(object) }
    }
    return all
  }

  private mutating func add(_ object: LiveObject) {
    count += 1
    bytes.add(saturating: object.bytes)
    allocations.add(object.stackTrace)
  }
}

/// Signatures of the paths from holders to objects, as numbers: objects with equal signatures are one
/// finding.
///
/// An object that is held by another of its own type, directly or indirectly, has that one's signature: a
/// list of a million nodes is one signature.
struct HeldSignatures {
  private struct Step: Hashable {
    /// The signature of the holder; -1 for none.
    var holder: Int32
    var type: Int32
    var label: UInt32
    var function: UInt32
    /// Distinguishes variables and tasks.
    var origin: Int32
  }

  /// Holders of an object that are searched for one of its own type: a heap may be as deep as it is large.
  private static let mostAncestors = 256

  private var steps = Numbering<Step>()
  /// The signatures by object; -1 for unreachable ones.
  private(set) var signatures: [Int32]
  /// Whether the holder that a signature begins with may be named, by signature.
  private(set) var isNamed: [Bool] = []

  init(in graph: ReferenceGraph, _ holders: HolderSearch) {
    signatures = [Int32](repeating: -1, count: graph.count)
    var places = Numbering<HolderSearch.Origin>()
    let kinds = graph.capture.types.map { ObjectKind(of: $0) }
    for object in holders.order.lazy.map(Int.init) {
      let type = graph.capture.objects[object].type
      guard let arrival = holders.arrival(at: object) else {
        guard let origin = holders.origins[object] else { continue }
        let step = Step(
          holder: -1, type: Int32(type), label: 0, function: 0, origin: Int32(places.number(of: origin)))
        signatures[object] = number(of: step, isNamed: origin.isNamed)
        continue
      }
      let reference = graph.heap.references[arrival]
      let holder = signatures[Int(reference.source)]
      if kinds[type] == .classInstance, let same = ancestor(of: holder, type: Int32(type)) {
        signatures[object] = same
        continue
      }
      let step = Step(
        holder: holder, type: Int32(type), label: reference.label, function: reference.function ?? .max,
        origin: -1)
      signatures[object] = number(of: step, isNamed: isNamed[Int(holder)])
    }
  }

  private mutating func number(of step: Step, isNamed named: Bool) -> Int32 {
    let number = steps.number(of: step)
    if number == isNamed.count { isNamed.append(named) }
    return Int32(number)
  }

  private func ancestor(of signature: Int32, type: Int32) -> Int32? {
    var signature = signature
    for _ in 0..<Self.mostAncestors where signature >= 0 {
      if steps.keys[Int(signature)].type == type { return signature }
      signature = steps.keys[Int(signature)].holder
    }
    return nil
  }
}
