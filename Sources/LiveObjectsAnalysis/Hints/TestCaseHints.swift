import LiveObjectsCapture

/// The properties of test cases that hold objects: XCTest keeps the test cases, and with them what their properties hold.
struct TestCaseHints {
  private struct Property: Hashable {
    /// The class of the test case.
    var type: Int
    var name: String
  }

  private let graph: ReferenceGraph
  private var hints: [Property: Finding.Hint] = [:]

  /// Finds the declarations of all properties in one go. One without is XCTest's own, and has no hint.
  init(
    _ holders: some Sequence<HolderHints.Holder>, _ naming: PathNaming, _ symbolicator: some Symbolicator
  ) {
    graph = naming.graph
    let found = Set(holders.lazy.compactMap { [graph] in Self.property($0, in: graph) })
    guard !found.isEmpty else { return }
    let candidates = found.map { ($0, Self.candidates(for: $0, naming)) }
    let declarations = symbolicator.declarations(of: Set(candidates.flatMap(\.1)), in: graph.capture)
    for (property, candidates) in candidates {
      guard let declared = candidates.first(where: { declarations[$0] != nil }) else { continue }
      let place = Finding.Hint.Place(
        kind: .property, name: "\(declared.types[0]).\(property.name)", file: declarations[declared]?.file,
        line: declarations[declared]?.line)
      hints[property] = Finding.Hint(.clearProperty, at: [place])
    }
  }

  /// - Returns: `nil` for what no property of a test case of the program holds.
  func hint(for holder: HolderHints.Holder) -> Finding.Hint? {
    Self.property(holder, in: graph).flatMap { hints[$0] }
  }

  private static func property(_ holder: HolderHints.Holder, in graph: ReferenceGraph) -> Property? {
    guard case .testCase = holder.origin, let first = holder.path.references.first else { return nil }
    let label = graph.heap.labels[Int(graph.heap.references[first].label)]
    guard label.kind == .property || label.kind == .objectProperty else { return nil }
    let type = graph.capture.objects[holder.path.start].type
    return Property(type: type, name: String(label.text.prefix(before: ".")))
  }

  /// The property, as one of the class and of each of its superclasses.
  private static func candidates(for property: Property, _ naming: PathNaming) -> [StoredProperty] {
    let image = naming.programImage(of: property.type)
    return naming.classNames(of: property.type).map {
      StoredProperty(name: property.name, types: [$0], image: image)
    }
  }
}
