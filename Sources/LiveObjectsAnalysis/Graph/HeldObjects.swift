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
  /// Objects by the stack trace that allocated them.
  var stackTraces: [UInt32: Int] = [:]
  /// All of them, where findings list their objects.
  var members: [Int] = []

  /// - Parameter isEvaluated: the objects that count and may be shown.
  static func all(in reachability: ReachabilityAnalysis, isEvaluated: (Int) -> Bool) -> [HeldObjects] {
    var indices: [Key: Int] = [:]
    var all: [HeldObjects] = []
    for object in reachability.holders.order.lazy.map(Int.init) {
      guard isEvaluated(object), let signature = reachability.signature(of: object) else { continue }
      let scope = reachability.scope
      let key = Key(signature: signature, owner: scope.reportedOwner(of: object))
      let index = indices[key] ?? all.count
      if index == all.count {
        indices[key] = index
        all.append(HeldObjects(owner: key.owner, nearest: object))
      }
      all[index].add(reachability.graph.capture.objects[object])
      if scope.namesMembers { all[index].members.append(object) }
    }
    return all
  }

  private mutating func add(_ object: LiveObject) {
    count += 1
    bytes.add(saturating: object.bytes)
    stackTraces[object.stackTrace, default: 0] += 1
  }
}
