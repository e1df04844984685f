import LiveObjectsCapture

/// The objects of OpenCombine that hold each other, as a subject and its subscriptions do. They are gone once the program
/// lets go of the `AnyCancellable`, which cancels the subscription: their cycles are not the program's to break, and they
/// count as one object.
struct SubscriptionPipelines {
  private let graph: ReferenceGraph
  /// `nil` without a subscription that is cancelled in this way.
  private let components: StronglyConnectedComponents?
  /// What the closures of each `AnyCancellable` cancel, by the closure: these are the library's as well.
  private var cancelled: [Int: Int] = [:]

  init(among objects: [UInt32], in graph: ReferenceGraph) {
    self.graph = graph
    let name = { (object: Int) in graph.capture.types[graph.capture.objects[object].type].name }
    guard objects.contains(where: { name(Int($0)) == Self.token }) else {
      components = nil
      return
    }
    let parts = Set(objects.lazy.map(Int.init).filter { Self.isPart(name($0)) })
    components = StronglyConnectedComponents(in: graph, isPart: parts.contains, follows: graph.mayHold)
    for token in objects.lazy.map(Int.init) where name(token) == Self.token {
      for closure in contexts(from: token) { note(closure, parts, depth: 2) }
    }
  }

  private func contexts(from object: Int) -> [Int] {
    graph.references(from: object).map(graph.target).filter { graph.kind(of: $0) == .closureContextOrBox }
  }

  /// Notes the part of a pipeline that a closure captures, or a closure in it.
  @discardableResult
  private mutating func note(_ closure: Int, _ parts: Set<Int>, depth: Int) -> Int? {
    let part = graph.references(from: closure).map(graph.target).first(where: parts.contains)
    let inner = part != nil || depth == 0 ? [] : contexts(from: closure)
    cancelled[closure] = inner.reduce(part) { $0 ?? note($1, parts, depth: depth - 1) }
    return cancelled[closure]
  }

  private func pipeline(of object: Int) -> Int? { components?.component(of: cancelled[object] ?? object) }

  /// The position of each object; of those of a pipeline, that of the first.
  func numbers(of objects: [UInt32]) -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    var first: [Int: Int] = [:]
    for (number, object) in objects.lazy.map(Int.init).enumerated() {
      guard let pipeline = pipeline(of: object) else {
        numbers[object] = number
        continue
      }
      first[pipeline] = first[pipeline] ?? number
      numbers[object] = first[pipeline]
    }
    return numbers
  }

  /// Whether the reference is between objects of one pipeline.
  func contain(_ reference: Int) -> Bool {
    guard let source = pipeline(of: graph.source(reference)) else { return false }
    return source == pipeline(of: graph.target(reference))
  }

  /// Whether an object of the type is the subscriber of `assign(to:on:)`, which holds the object whose property it sets.
  static func isAssignment(_ type: String) -> Bool { type.hasPrefix("OpenCombine.Subscribers.Assign<") }

  private static let token = "OpenCombine.AnyCancellable"

  /// Whether the type is the library's, or a collection of the library's objects.
  private static func isPart(_ type: String) -> Bool {
    guard type != token else { return false }
    return ["OpenCombine.", "Swift._SetStorage<OpenCombine.", "Swift._ContiguousArrayStorage<OpenCombine."]
      .contains(where: type.hasPrefix)
  }
}
