@testable import LiveObjectsCapture

/// A heap that the input describes, a byte a choice: every input is one, so that all of them reach the analysis.
@_cdecl("test_input")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  var choices = Choices(bytes: UnsafeBufferPointer(start: start, count: count))
  reach.add("inputs")
  report(on: (0...choices.next(2)).map { _ in makeCapture(&choices) })
}

/// Small numbers, one after another; 0 at the end of the input.
private struct Choices {
  let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func byte() -> Int {
    guard position < bytes.count else { return 0 }
    defer { position += 1 }
    return Int(bytes[position])
  }

  /// Below `end`.
  mutating func next(_ end: Int) -> Int { byte() % max(end, 1) }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  mutating func some<Element>(_ most: Int, _ make: (inout Choices) -> Element) -> [Element] {
    (0..<next(most + 1)).map { _ in make(&self) }
  }

  mutating func of<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }
}

private let names = [
  "Demo.Loader", "Demo.Node", "Demo.Box<Demo.Item>", "(extension in Demo):Swift.Array<Swift.Int>.Cache", "",
  "(Demo.A, Demo.B)",
  "Swift._ContiguousArrayStorage<Demo.Node>", "Swift._DictionaryStorage<Swift.Int, Demo.Node>",
  "XCTest.XCTestCase",
  "Demo.(unknown context at $55d0c8e08540).Cache", "Swift.ManagedBuffer<A, B>", "Demo.LoaderTests",
  "\u{1b}[31m\u{2028}",
]
private let texts = [
  "", "next", "outer.inner", "Demo.Loader", "Demo.Loader\tlist", "a[0].b", "[]", "captured x", "self", "\t",
  "\u{7}",
]

private func makeCapture(_ choices: inout Choices) -> Capture {
  let images = choices.some(3) { choices in
    Image(
      addresses: 0..<UInt64(choices.byte()), buildID: [],
      path: choices.of(["/app/demo", "", "libswiftCore.so"]),
      isSystem: choices.flag())
  }
  let types = choices.some(8) { choices in
    TypeDescription(
      kind: TypeDescription.Kind(rawValue: UInt32(choices.next(7) + 1))!,
      image: images.isEmpty ? nil : choices.next(images.count), captureCount: UInt32(choices.next(3)),
      name: choices.of(names))
  }
  let objects =
    types.isEmpty
    ? []
    : choices.some(24) { choices in
      LiveObject(
        address: UInt64(choices.byte()), bytes: choices.flag() ? .max : 32, sequence: UInt64(choices.byte()),
        type: choices.next(types.count), stackTrace: UInt32(choices.next(5)), scope: UInt32(choices.next(5)),
        isPinned: choices.next(8) == 7, wasWeaklyReferenced: choices.flag(),
        strongCount: choices.next(8) == 7 ? nil : UInt32(choices.next(4)))
    }
  var capture = Capture(
    process: ProcessDescription(id: 1, executable: "/app/demo"),
    tracking: TrackingStatus(state: choices.next(8) == 7 ? .blind : .tracking))
  (capture.images, capture.types, capture.objects) = (images, types, objects)
  capture.tests = choices.some(5, makeTest)
  for id in 1...4 { capture.stackTraces[UInt32(id)] = choices.some(5) { makeFrame(&$0, images.count) } }
  for scope in 2..<(2 + choices.next(4)) {
    capture.scopeParents[UInt32(scope)] = UInt32(choices.next(scope - 1) + 1)
  }
  if choices.flag() { capture.knownIssueScopes[UInt32(choices.next(4) + 1)] = UInt64(choices.byte()) }
  if choices.next(8) < 7 { capture.graph = makeGraph(&choices, of: capture) }
  if choices.flag() { explainRetains(of: &capture, &choices) }
  return capture
}

/// Sets most strong counts to the number of references, as in a real heap.
private func explainRetains(of capture: inout Capture, _ choices: inout Choices) {
  guard let graph = capture.graph else { return }
  for object in capture.objects.indices where choices.next(4) < 3 {
    let references = graph.references.count {
      Int($0.target) == object && graph.labels[Int($0.label)].ownership == .strong
    }
    capture.objects[object].strongCount = UInt32(
      references + (graph.roots.contains { Int($0.target) == object } ? 1 : 0))
  }
}

private func makeTest(_ choices: inout Choices) -> TestDescription {
  let first = UInt64(choices.byte())
  return TestDescription(
    library: choices.flag() ? .testing : .xctest, outcome: .init(rawValue: UInt32(choices.next(5)))!,
    scope: UInt32(choices.next(4)),
    id: choices.of(["DemoTests.LoaderTests/testLoad", "DemoTests.load(count:)", ""]),
    arguments: choices.of(["", "3"]), sequenceNumbers: first..<first + UInt64(choices.byte()))
}

private func makeFrame(_ choices: inout Choices, _ images: Int) -> Frame {
  let image = choices.next(images + 1)
  return Frame(image: image == images ? nil : image, offset: UInt64(choices.byte()))
}

private func makeGraph(_ choices: inout Choices, of capture: Capture) -> HeapGraph {
  var graph = HeapGraph(
    status: HeapGraph.Status(
      wasRead: choices.next(16) < 15, threads: UInt32(choices.next(3)), missesStacks: choices.flag(),
      missesRoots: choices.flag(), hasRegisters: choices.flag(), isPartial: choices.next(4) == 3))
  guard !capture.objects.isEmpty else { return graph }
  let object = { (choices: inout Choices) in UInt32(choices.next(capture.objects.count)) }
  graph.labels = choices.some(6) { choices in
    ReferenceLabel(
      .init(rawValue: UInt32(choices.next(14) + 1))!,
      ownership: .init(rawValue: UInt32(choices.next(5) + 1))!,
      text: choices.of(texts))
  }
  graph.functions = choices.some(4) { makeFrame(&$0, capture.images.count) }
  if !graph.labels.isEmpty {
    graph.references = choices.some(60) { choices in
      let function = choices.next(graph.functions.count + 1)
      return Reference(
        from: object(&choices), to: object(&choices), label: UInt32(choices.next(graph.labels.count)),
        element: choices.flag() ? UInt32(choices.byte()) : nil,
        function: function == graph.functions.count ? nil : UInt32(function))
    }
    .sorted { $0.source < $1.source }
  }
  graph.roots = choices.some(8) { choices in
    let target = object(&choices)
    switch choices.next(5) {
    case 0: return Root(.global(makeFrame(&choices, capture.images.count)), target: target)
    case 1: return Root(.stack(thread: 1), target: target)
    case 2: return Root(.threadLocal(thread: 1), target: target)
    case 3: return Root(.cMemory(address: 1), target: target)
    default:
      let label = UInt32(choices.next(graph.labels.count + 1))
      return Root(
        .handler(
          choices.flag() ? makeFrame(&choices, capture.images.count) : nil,
          of: label == graph.labels.count ? nil : label), target: target)
    }
  }
  graph.tasks = choices.some(5) { choices in
    TaskDescription(
      object: object(&choices), state: .init(rawValue: UInt32(choices.next(5)))!,
      wait: .init(rawValue: UInt32(choices.next(5)))!, hasActiveChild: choices.flag(),
      isInExecutor: choices.flag(), frames: choices.some(3) { makeFrame(&$0, capture.images.count) })
  }
  graph.retainSites = choices.some(8) { choices in
    RetainSite(
      object: object(&choices), stackTrace: UInt32(choices.next(5)), retains: UInt32(choices.byte()),
      releases: UInt32(choices.byte()))
  }
  if choices.flag() {
    graph.superclasses[choices.next(capture.types.count)] = choices.some(3) { $0.of(names) }
  }
  return graph
}
