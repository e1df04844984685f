import LiveObjectsCapture

/// The objects that a leak may be named after: the instances of the alphabetically first of the user's types.
/// Other instances come next, objects without a name last.
struct TypeOrder {
  /// By index into `Capture.types`; smaller is better.
  private let ranks: [Int]

  init(_ labels: [TypeLabel?], of capture: Capture) {
    let sorted = labels.indices.sorted { a, b in
      let (first, second) = (Self.group(of: a, labels, capture), Self.group(of: b, labels, capture))
      return (first, labels[a]?.text ?? "", a) < (second, labels[b]?.text ?? "", b)
    }
    var ranks = [Int](repeating: 0, count: labels.count)
    for (rank, type) in sorted.enumerated() { ranks[type] = rank }
    self.ranks = ranks
  }

  private static func group(of type: Int, _ labels: [TypeLabel?], _ capture: Capture) -> Int {
    guard let label = labels[type], capture.types[type].kind == .classInstance else { return 2 }
    return label.isUserDefined ? 0 : 1
  }

  /// The first objects, in the order of the capture, of the best type among them.
  func best(of objects: [Int], atMost limit: Int, in capture: Capture) -> [Int] {
    let best = objects.lazy.map { ranks[capture.objects[$0].type] }.min()
    var first: [Int] = []
    for object in objects where ranks[capture.objects[object].type] == best {
      guard first.count < limit || object < first[limit - 1] else { continue }
      if first.count == limit { first.removeLast() }
      first.insert(object, at: first.firstIndex { object < $0 } ?? first.count)
    }
    return first
  }
}
