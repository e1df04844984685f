import LiveObjectsCapture

/// The objects of OpenCombine that hold each other, as a subject and its subscriptions do. They are gone once the program
/// lets go of the `AnyCancellable`, which cancels the subscription: their cycles are not the program's to break, and they
/// count as one object.
struct SubscriptionPipelines {
  private let graph: ReferenceGraph
  /// `nil` without a subscription that is cancelled in this way.
  private let components: StronglyConnectedComponents?

  init(among objects: [UInt32], in graph: ReferenceGraph) {
    self.graph = graph
    let name = { (object: Int) in graph.capture.types[graph.capture.objects[object].type].name }
    guard objects.contains(where: { name(Int($0)) == Self.token }) else {
      components = nil
      return
    }
    let parts = Set(objects.lazy.map(Int.init).filter { Self.isPart(name($0)) })
    components = StronglyConnectedComponents(in: graph, isPart: parts.contains, follows: graph.mayHold)
  }

  /// The position of each object; of those of a pipeline, that of the first.
  func numbers(of objects: [UInt32]) -> [Int: Int] {
    var numbers: [Int: Int] = [:]
    var first: [Int: Int] = [:]
    for (number, object) in objects.lazy.map(Int.init).enumerated() {
      guard let pipeline = components?.component(of: object) else {
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
    guard let components, let source = components.component(of: graph.source(reference)) else { return false }
    return source == components.component(of: graph.target(reference))
  }

  private static let token = "OpenCombine.AnyCancellable"

  /// Whether the type is the library's, or a collection of the library's objects.
  private static func isPart(_ type: String) -> Bool {
    guard type != token else { return false }
    return ["OpenCombine.", "Swift._SetStorage<OpenCombine.", "Swift._ContiguousArrayStorage<OpenCombine."]
      .contains(where: type.hasPrefix)
  }
}
