import LiveObjectsCapture

/// Objects of one owner with equal paths from their holder, or the parts of the collections there.
struct HeldObjects {
  private struct Key: Hashable {
    var signature: Int32
    var owner: ObjectOwner
  }

  let owner: ObjectOwner
  /// The object that is nearest to the holder; of a collection its storage, which may be older.
  let nearest: Int
  /// The signature of the collections that the objects are parts of.
  let collection: Int32?
  private(set) var objects: [UInt32] = []
  var allocations = StackTraceCounts()
  /// The storage of the one collection that has all of them as its elements.
  private(set) var container: Int?
  /// Of collections: the sums over the parts that count.
  private(set) var contents = CollectionContents()
  /// Of collections: the number of elements that all of them hold, older ones included.
  private(set) var elements: Int?
  /// The objects by the measured run that left them.
  private(set) var countsByRun: [Int]

  /// - Parameter isEvaluated: the objects that may be shown; parts of collections are not asked for.
  static func all(
    in reachability: ReachabilityAnalysis, _ collections: HeldCollections, isEvaluated: (Int) -> Bool
  ) -> [HeldObjects] {
    var numbers = Numbering<Key>()
    var all: [HeldObjects] = []
    var elements = collections.noElements
    let scope = reachability.scope
    for object in reachability.holders.order.lazy.map(Int.init) {
      guard let signature = reachability.signature(of: object) else { continue }
      let collection = collections.collection(of: signature)
      if collection == signature { collections.count(object, signature, in: &elements) }
      guard reachability.counted[object], collection != nil || isEvaluated(object) else { continue }
      let key = Key(signature: collection ?? signature, owner: scope.reportedOwner(of: object))
      let index = numbers.number(of: key)
      if index == all.count {
        let nearest = collection == nil ? object : collections.storage(of: object).object
        all.append(HeldObjects(key.owner, nearest: nearest, in: collection, runs: scope.runs.count))
      }
      let capture = reachability.graph.capture
      let weight = capture.tracking.weight(of: capture.objects[object])
      all[index].objects.append(UInt32(object))
      all[index].add(capture.objects[object], weight: weight, of: scope.runs)
      if collection != nil {
        all[index].contents.add(object, isStorage: signature == collection, collections)
      } else {
        all[index].add(elementOf: collections.container(of: object))
      }
    }
    for index in all.indices { all[index].elements = all[index].collection.flatMap { elements[Int($0)] } }
    return all
  }

  var count: Int { objects.count }

  /// How many of the objects each measured run left, where there were several.
  var remarkOnRuns: [String] {
    guard let least = countsByRun.min(), let most = countsByRun.max() else { return [] }
    let objects = least == most ? "\(most)" : "\(least) to \(most)"
    return ["The \(countsByRun.count) runs left \(objects) of the objects each."]
  }

  private init(_ owner: ObjectOwner, nearest: Int, in collection: Int32?, runs: Int) {
    (self.owner, self.nearest, self.collection) = (owner, nearest, collection)
    countsByRun = [Int](repeating: 0, count: runs)
  }

  /// - Parameter container: of the object that was added last.
  private mutating func add(elementOf container: Int?) {
    if count == 1 { self.container = container } else if self.container != container { self.container = nil }
  }

  private mutating func add(_ object: LiveObject, weight: Double, of runs: [UInt64]) {
    allocations.add(object, weight: weight)
    guard !runs.isEmpty else { return }
    countsByRun[max(0, runs.partitionIndex { $0 > object.sequence } - 1)] += 1
  }
}

/// Signatures of the paths from holders to objects, as numbers: objects with equal signatures are one
/// finding.
///
/// An object that is held by another of its own type, directly or indirectly, has that one's signature: a
/// list of a million nodes is one signature.
struct HeldSignatures {
  struct Step: Hashable {
    /// The signature of the holder; -1 for none.
    var holder: Int32
    var type: Int32
    var label: UInt32
    var function: UInt32
    /// Distinguishes variables and tasks: a number in `origins`, where there is no holder.
    var origin: Int32
  }

  /// Holders of an object that are searched for one of its own type: a heap may be as deep as it is large.
  private static let mostAncestors = 256

  private var numbers = Numbering<Step>()
  /// The signatures by object; -1 for unreachable ones.
  private(set) var signatures: [Int32]
  /// Whether the holder that a signature begins with may be named, by signature.
  private(set) var isNamed: [Bool] = []
  /// The origins of paths.
  private(set) var origins: [HolderSearch.Origin] = []

  /// The last step of the path, by signature.
  var steps: [Step] { numbers.keys }

  init(in graph: ReferenceGraph, _ holders: HolderSearch) {
    signatures = [Int32](repeating: -1, count: graph.count)
    var places = Numbering<HolderSearch.Origin>()
    let kinds = graph.capture.types.map { ObjectKind(of: $0) }
    for object in holders.order.lazy.map(Int.init) {
      let type = graph.capture.objects[object].type
      guard let arrival = holders.arrival(at: object) else {
        guard let origin = holders.origins[object] else { continue }
        let step = Step(
          holder: -1, type: Int32(type), label: 0, function: .max, origin: Int32(places.number(of: origin)))
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
    origins = places.keys
  }

  private mutating func number(of step: Step, isNamed named: Bool) -> Int32 {
    let number = numbers.number(of: step)
    if number == isNamed.count { isNamed.append(named) }
    return Int32(number)
  }

  private func ancestor(of signature: Int32, type: Int32) -> Int32? {
    var (signature, searched) = (signature, 0)
    while signature >= 0, searched < Self.mostAncestors {
      if numbers.keys[Int(signature)].type == type { return signature }
      signature = numbers.keys[Int(signature)].holder
      searched += 1
    }
    return nil
  }
}
