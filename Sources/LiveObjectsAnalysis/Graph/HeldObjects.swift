import LiveObjectsCapture

/// Objects of one test that are held in the same way.
struct HeldObjects {
  private struct Key: Hashable {
    var signature: Int32
    var test: Int32
  }

  /// The test that made them.
  var test: Int32
  /// The one that is nearest to the holder.
  var nearest: Int
  var count = 0
  var bytes: UInt64 = 0
  /// Objects by the stack trace that allocated them.
  var stackTraces: [UInt32: Int] = [:]
  /// All of them, where findings name their objects.
  var members: [Int] = []

  /// - Parameter isJudged: the objects that count and may be shown.
  static func all(in judgement: HeapJudgement, isJudged: (Int) -> Bool) -> [HeldObjects] {
    var indices: [Key: Int] = [:]
    var all: [HeldObjects] = []
    for object in judgement.holders.order.lazy.map(Int.init) {
      guard isJudged(object), let signature = judgement.signature(of: object) else { continue }
      let judged = judgement.judged
      let key = Key(signature: signature, test: judged.namesake(of: judged.test(of: object)))
      let index = indices[key] ?? all.count
      if index == all.count {
        indices[key] = index
        all.append(HeldObjects(test: key.test, nearest: object))
      }
      all[index].add(judgement.graph.capture.objects[object])
      if judged.namesMembers { all[index].members.append(object) }
    }
    return all
  }

  private mutating func add(_ object: LiveObject) {
    count += 1
    bytes.add(saturating: object.bytes)
    stackTraces[object.stackTrace, default: 0] += 1
  }
}
