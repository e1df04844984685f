import LiveObjectsCapture

/// How a leak is told: from which of its objects on, and which way round.
struct LeakPath {
  /// The object that the finding is called after.
  var start: Int
  /// Once round the cycle; `nil` for an object that is retained too often.
  var path: ObjectPath?

  /// - Parameter labels: by index into `Capture.types`.
  init(of leak: LeakGroup, in graph: ReferenceGraph, _ labels: [TypeLabel?]) {
    start = Self.start(of: leak, in: graph, labels)
    guard leak.verdict == .retainCycle else { return }
    let core = Set(leak.core)
    let follows = leak.certainty == .definite ? graph.isStrong : graph.mayHold
    path = ObjectPath(from: start, to: start, in: graph) { follows($0) && core.contains(graph.target($0)) }
  }

  /// The alphabetically first of the user's types. Objects with names come before those without.
  private static func start(of leak: LeakGroup, in graph: ReferenceGraph, _ labels: [TypeLabel?]) -> Int {
    leak.core.min { a, b in
      let (first, second) = (rank(a, in: graph, labels), rank(b, in: graph, labels))
      return (first.order, first.text, a) < (second.order, second.text, b)
    } ?? 0
  }

  private static func rank(
    _ object: Int, in graph: ReferenceGraph, _ labels: [TypeLabel?]
  ) -> (order: Int, text: String) {
    let type = graph.capture.objects[object].type
    guard let label = labels[type] else { return (2, "") }
    let isInstance = graph.capture.types[type].kind == .classInstance
    return (label.isUsers && isInstance ? 0 : isInstance ? 1 : 2, label.text)
  }
}
