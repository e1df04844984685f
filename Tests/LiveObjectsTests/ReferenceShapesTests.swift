import LiveObjectsCapture
import Synchronization
import XCTest

@testable import LiveObjects

/// The object to which the properties of `Shapes` refer.
private final class Leaf: Hashable, Error {
  static func == (a: Leaf, b: Leaf) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private protocol Shape {}
private protocol ClassShape: AnyObject {}
extension Leaf: Shape, ClassShape {}
private struct Small: Shape { var leaf: Leaf }
private struct Large: Shape {
  var leaf: Leaf
  var padding = (1, 2, 3, 4)
}
private struct LeafError: Error { var leaf: Leaf }

private struct Inner {
  var number = 1
  var leaf: Leaf?
}
private struct Outer { var inner: Inner? }

private enum Payload {
  case nothing
  case one(Leaf)
  case labelled(number: Int, owner: Leaf)
  case other(String, Leaf)
}
private final class Payloads {
  let list: [Payload]
  init(_ list: [Payload]) { self.list = list }
}
private indirect enum Tree {
  case leaf(Leaf)
  case pair(Tree, Tree)
}
private enum Either {
  case left(Leaf)
  case right(Leaf)
}

private struct Handle: ~Copyable { var leaf: Leaf }
private enum Grip: ~Copyable {
  case open
  case closed(Handle)
  case locked(Leaf, Int)
}

private class Generic<Value> {
  var inherited: Value
  init(_ value: Value) { inherited = value }
}

private final class Shapes: Generic<Leaf> {
  let plain: Leaf
  var optional: Leaf?
  var outer: Outer
  var pair: (Leaf, second: Leaf)
  var single: Payload
  var labelled: Payload
  var mixed: Payload
  var either: Either?
  var classBound: any ClassShape
  var object: AnyObject
  var inlineExistential: any Shape
  var boxed: any Shape
  var anything: Any?
  var failure: any Error
  var tree: Tree
  weak var weakly: Leaf?
  unowned var unowned: Leaf
  unowned(unsafe) var unsafely: Leaf
  var unmanaged: Unmanaged<Leaf>
  lazy var later: Leaf? = nil
  let mutex: Mutex<Leaf?>
  let handle: Handle
  let secret: Mutex<Payload>
  var spare: Handle?
  let state: Mutex<Small?>
  var grip: Grip
  var action: () -> Leaf
  var noAction: (() -> Leaf)?
  var list: [Leaf]
  var number = 3
  var text = "a text that is too long to be stored inline"

  override init(_ leaf: Leaf) {
    plain = leaf
    optional = leaf
    outer = Outer(inner: Inner(leaf: leaf))
    pair = (leaf, leaf)
    single = .one(leaf)
    labelled = .labelled(number: 1, owner: leaf)
    mixed = .other("x", leaf)
    either = .right(leaf)
    classBound = leaf
    object = leaf
    inlineExistential = Small(leaf: leaf)
    boxed = Large(leaf: leaf)
    anything = leaf
    failure = LeafError(leaf: leaf)
    tree = .pair(.leaf(leaf), .leaf(leaf))
    unowned = leaf
    unsafely = leaf
    unmanaged = .passUnretained(leaf)
    mutex = Mutex(leaf)
    handle = Handle(leaf: leaf)
    secret = Mutex(.nothing)
    spare = Handle(leaf: leaf)
    state = Mutex(Small(leaf: leaf))
    grip = .closed(Handle(leaf: leaf))
    action = { leaf }
    list = [leaf, leaf]
    super.init(leaf)
    weakly = leaf
    later = leaf
  }
}

private final class WeakBox {
  weak var leaf: Leaf?
  let address: ObjectAddress

  init(_ leaf: Leaf) {
    self.leaf = leaf
    address = ObjectAddress(of: leaf)
  }
}

extension ObjectAddress {
  fileprivate init(of object: AnyObject) {
    self.init(UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())))
  }
}

/// Stored properties of every kind that can hold an object.
final class ReferenceShapesTests: XCTestCase {
  func testEachPropertyHasItsKindOfReference() throws {
    try LiveObjects.start()
    let leaf = onHeap { Leaf() }
    let shapes = onHeap { Shapes(leaf) }
    let found = try Set(referencesToLeaf(from: shapes))
    XCTAssertEqual(found.subtracting(Self.expected), [])
    XCTAssertEqual(Self.expected.subtracting(found), [])
    withExtendedLifetime((leaf, shapes)) {}
  }

  /// One reference too many would make a live object look unreachable.
  func testStrongReferencesAddUpToTheStrongCount() throws {
    try LiveObjects.start()
    let leaf = onHeap { Leaf() }
    let before = try holders(of: leaf)
    let shapes = onHeap { Shapes(leaf) }
    let after = try holders(of: leaf)
    XCTAssertEqual(
      after.references - before.references, after.strongCount - before.strongCount)
    withExtendedLifetime((leaf, shapes)) {}
  }

  /// Equal elements are skipped only where they have no references.
  func testEachEqualElementOfAnArrayHasItsReference() throws {
    try LiveObjects.start()
    let leaf = onHeap { Leaf() }
    let before = try holders(of: leaf)
    let list = onHeap {
      Payloads([.nothing, .nothing, .one(leaf), .one(leaf), .nothing, .nothing, .one(leaf)])
    }
    let after = try holders(of: leaf)
    XCTAssertEqual(after.references - before.references, 3)
    withExtendedLifetime((leaf, list)) {}
  }

  /// Its capacity counts all memory that the allocator returned, which may be more than was requested.
  func testManagedBufferRefersToElementsInAllOfItsMemory() throws {
    try LiveObjects.start()
    for minimumCapacity in 0...4 {
      let leaf = onHeap { Leaf() }
      let buffer = onHeap { ManagedBuffer<Int, Leaf>.create(minimumCapacity: minimumCapacity) { _ in 0 } }
      let capacity = buffer.capacity
      buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: leaf, count: capacity) }
      XCTAssertEqual(try references(from: buffer, to: leaf).count, capacity)
      _ = buffer.withUnsafeMutablePointerToElements { $0.deinitialize(count: capacity) }
      withExtendedLifetime((leaf, buffer)) {}
    }
  }

  /// The runtime keeps the old address as long as the weak reference exists.
  func testAWeakReferenceToAFreedObjectIsNoneToItsSuccessor() throws {
    try LiveObjects.start()
    let former = onHeap { WeakBox(Leaf()) }
    let successor = onHeap { Leaf() }
    XCTAssertEqual(former.address, ObjectAddress(of: successor), "the allocator did not reuse the memory")
    XCTAssertNil(former.leaf)
    XCTAssertEqual(try references(from: former, to: successor), [])
    XCTAssertEqual(
      try referencesToMemory(from: former), [ReferenceLabel(.property, ownership: .weak, text: "leaf")])
    withExtendedLifetime((former, successor)) {}
  }

  private func holders(of leaf: Leaf) throws -> (references: Int, strongCount: Int) {
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    let target = ObjectAddress(of: leaf)
    let object = try XCTUnwrap(capture.objects.first { $0.address == target })
    let references = graph.references.filter {
      capture.objects[Int($0.target)].address == target
        && graph.labels[Int($0.label)].ownership == .strong
    }
    return (references.count, Int(try XCTUnwrap(object.strongCount)))
  }

  private static let expected: Set<ReferenceLabel> = Set(
    [
      "inherited", "pair", "pair.second", "single", "labelled.owner", "mixed", "either", "anything", "later",
      "mutex", "action",
    ].map { ReferenceLabel(.property, text: $0) }
      + declared("Shapes", ["optional", "classBound", "object"])
      + declared("Shapes", ["plain"], isConstant: true)
      + declared("Inner", ["outer.inner.leaf"]) + declared("Small", ["inlineExistential.leaf", "state.leaf"])
      + declared("Handle", ["handle.leaf", "spare.leaf", "grip.leaf"]) + [
        ReferenceLabel(.property, ownership: .weak, text: "weakly"),
        ReferenceLabel(.property, ownership: .unowned, text: "unowned"),
        ReferenceLabel(.property, ownership: .unmanaged, text: "unsafely"),
        ReferenceLabel(.property, ownership: .unmanaged, text: "unmanaged"),
      ])

  private static func declared(
    _ type: String, _ paths: [String], isConstant: Bool = false
  ) -> [ReferenceLabel] {
    paths.map { path in
      var label = ReferenceLabel(.objectProperty, text: path)
      label.declaration = .init(type: "LiveObjectsTests.\(type)", isConstant: isConstant)
      return label
    }
  }

  private func referencesToLeaf(from shapes: Shapes) throws -> [ReferenceLabel] {
    try references(from: shapes, to: shapes.plain)
  }

  private func references(from holder: AnyObject, to leaf: Leaf) throws -> [ReferenceLabel] {
    let target = ObjectAddress(of: leaf)
    return try references(from: holder) { object, _ in object.address == target }
  }

  private func referencesToMemory(from holder: AnyObject) throws -> [ReferenceLabel] {
    try references(from: holder) { $1.types[$0.type].kind == .rawBuffer }
  }

  private func references(
    from holder: AnyObject, where isTarget: (LiveObject, Capture) -> Bool
  ) throws -> [ReferenceLabel] {
    let capture = try Recorder.capture(since: 0, references: true).decoded()
    let graph = try XCTUnwrap(capture.graph)
    let source = ObjectAddress(of: holder)
    return graph.references.filter {
      capture.objects[Int($0.source)].address == source
        && isTarget(capture.objects[Int($0.target)], capture)
    }.map { graph.labels[Int($0.label)] }
  }
}
