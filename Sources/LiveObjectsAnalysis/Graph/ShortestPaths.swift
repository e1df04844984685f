import LiveObjectsCapture

/// All shortest paths of one search, and the one of them that is the same in every run.
///
/// The elements of sets and dictionaries have another order in each process, so a search finds them in another order:
/// two subscriptions of one object would get one fingerprint or the other. Paths that differ in nothing but such elements
/// are compared by the types and closures on them.
struct ShortestPaths {
  /// Objects of a search in which paths are compared.
  static let mostObjects = 1 << 10

  private let graph: ReferenceGraph
  private let start: Int
  private let end: Int
  private let length: Int
  /// For each object on such a path, the references by which one goes on.
  private var onward: [Int: [Int]] = [:]

  /// - Parameters:
  ///   - path: one that was found.
  ///   - queue: the objects that were reached, in the order of their distance.
  ///   - arrival: the reference by which an object was reached first.
  /// - Returns: `nil` where no path leads through a set or dictionary.
  init?(
    _ path: ObjectPath, to end: Int, reached queue: [UInt32], by arrival: (Int) -> Int,
    in graph: ReferenceGraph, follows: (Int) -> Bool
  ) {
    guard queue.contains(where: { graph.references(from: Int($0)).contains(where: graph.isUnordered) }) else {
      return nil
    }
    (self.graph, start, self.end, length) = (graph, path.start, end, path.references.count)
    var distances = [path.start: 0]
    for object in queue.dropFirst().lazy.map(Int.init) {
      distances[object] = (distances[graph.source(arrival(object))] ?? 0) + 1
    }
    var isOrdered = true
    for object in queue.reversed().lazy.map(Int.init) {
      guard let distance = distances[object], distance < length else { continue }
      // No closure: with a copy of `onward` in one, all of it would be copied below, for each object.
      var references: [Int] = []
      for reference in graph.references(from: object) where follows(reference) {
        let target = graph.target(reference)
        let leads =
          distance == length - 1 ? target == end : distances[target] == distance + 1 && onward[target] != nil
        if leads { references.append(reference) }
      }
      guard !references.isEmpty else { continue }
      onward[object] = references
      let hasUnordered = references.contains { graph.isUnordered($0) }
      isOrdered = isOrdered && (references.count == 1 || !hasUnordered)
    }
    if isOrdered { return nil }
  }

  /// The path with the least keys.
  var least: ObjectPath {
    var layer = [start]
    var entries: [Int: Int] = [:]
    for _ in 0..<length {
      let references = layer.flatMap { onward[$0] ?? [] }
      let keys = references.map { ReferenceKey($0, in: graph) }
      let least = keys.min()
      layer = []
      for (reference, key) in zip(references, keys)
      where key == least && entries[graph.target(reference)] == nil {
        entries[graph.target(reference)] = reference
        layer.append(graph.target(reference))
      }
    }
    var references: [Int] = []
    var object = end
    while references.count < length, let reference = entries[object] {
      references.append(reference)
      object = graph.source(reference)
    }
    return ObjectPath(start: start, references: references.reversed())
  }
}

/// What does not differ between runs about a reference.
struct ReferenceKey: Comparable {
  /// That of the reference among those of its object; 0 in a set or dictionary.
  private var position: Int
  private var type: String
  private var function: UInt64

  init(_ reference: Int, in graph: ReferenceGraph) {
    let first = graph.references(from: graph.source(reference)).lowerBound
    position = graph.isUnordered(reference) ? 0 : reference - first
    type = graph.capture.types[graph.capture.objects[graph.target(reference)].type].name
    let code = graph.heap.references[reference].function.map { graph.heap.functions[Int($0)] }
    function = code?.offset ?? 0
  }

  static func < (a: Self, b: Self) -> Bool {
    (a.position, a.type, a.function) < (b.position, b.type, b.function)
  }
}

extension ReferenceGraph {
  /// Whether the reference is one of a set's or dictionary's, whose order differs between processes.
  fileprivate func isUnordered(_ reference: Int) -> Bool {
    switch heap.labels[Int(heap.references[reference].label)].kind {
    case .member, .key, .value: true
    default: false
    }
  }
}
