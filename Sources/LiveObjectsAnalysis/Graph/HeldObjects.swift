import LiveObjectsCapture

/// Objects that are held in the same way.
struct HeldObjects {
  var signature: Int32
  /// The one that is nearest to the holder.
  var nearest: Int
  var count = 0
  var bytes: UInt64 = 0
  /// Objects by the stack trace that allocated them.
  var stackTraces: [UInt32: Int] = [:]

  /// - Parameter isJudged: the objects that count and may be shown.
  static func all(in judgement: HeapJudgement, isJudged: (Int) -> Bool) -> [HeldObjects] {
    var indices: [Int32: Int] = [:]
    var all: [HeldObjects] = []
    for object in judgement.holders.order {
      guard isJudged(object), let signature = judgement.signature(of: object) else { continue }
      let index = indices[signature] ?? all.count
      if index == all.count {
        indices[signature] = index
        all.append(HeldObjects(signature: signature, nearest: object))
      }
      all[index].add(judgement.graph.capture.objects[object])
    }
    return all
  }

  private mutating func add(_ object: LiveObject) {
    count += 1
    bytes.add(saturating: object.bytes)
    stackTraces[object.stackTrace, default: 0] += 1
  }
}
