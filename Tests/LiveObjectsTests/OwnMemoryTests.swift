import CLiveObjects
import LiveObjectsCapture
import XCTest

@testable import LiveObjects

final class OwnMemoryTests: XCTestCase {
  /// The decoded capture is in the memory that is scanned for references.
  func testDecodedCapturesContainNoConservativeReferences() throws {
    try LiveObjects.start()
    let planted = onHeap { GenericPlanted("remembered") }
    plant(planted)
    let before = try roots(of: planted, in: capture())
    let captures = try (0..<5).map { _ in try capture() }
    let after = try roots(of: planted, in: capture())
    // Other threads may leave stale pointers meanwhile.
    XCTAssertLessThan(after.subtracting(before).count, captures.count)
    withExtendedLifetime(captures) {}
  }

  /// What the recorder does not know is scanned as memory of C code.
  func testRemovedElementsOfUnknownCollectionsAreNoRoots() throws {
    try LiveObjects.start()
    let planted = onHeap { GenericPlanted("removed") }
    liveobj_ignore_begin()
    var table: [Int: Unmanaged<GenericPlanted<String>>] = [1: .passUnretained(planted)]
    let held = [2: Unmanaged.passUnretained(planted)]
    let before = try roots(of: planted, in: capture())
    table.removeValue(forKey: 1)
    let after = try roots(of: planted, in: capture())
    liveobj_ignore_end()
    let places = { (roots: Set<Root.Place>) in roots.count { if case .cMemory = $0 { true } else { false } } }
    XCTAssertEqual(places(after), places(before) - 1)
    withExtendedLifetime((planted, table, held)) {}
  }

  /// LiveObjects keeps names and findings of its own, which have room to grow.
  func testOwnObjectsContainNoWordsOfFormerMemory() throws {
    try LiveObjects.start()
    let bytes = 88
    let former = (0..<4).map { _ in UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16) }
    for memory in former {
      memory.initializeMemory(as: UInt8.self, repeating: 0x5A, count: bytes)
      memory.deallocate()
    }
    liveobj_ignore_begin()
    let owned = makeBuffer(capacity: bytes - 32)
    liveobj_ignore_end()
    owned.withUnsafeMutablePointerToElements { elements in
      let unused = UnsafeBufferPointer(start: elements, count: bytes - 32)
      XCTAssertEqual(unused.filter { $0 != 0 }.count, 0)
    }
  }

  /// Not inlined: the optimiser would place the object on the stack.
  @inline(never)
  private func makeBuffer(capacity: Int) -> ManagedBuffer<Int, UInt8> {
    ManagedBuffer<Int, UInt8>.create(minimumCapacity: capacity) { _ in 0 }
  }

  private func capture() throws -> Capture {
    try Recorder.capture(since: 0, references: true).decoded()
  }

  private func roots(of object: AnyObject, in capture: Capture) throws -> Set<Root.Place> {
    let address = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
    let index = try XCTUnwrap(capture.objects.firstIndex { $0.address.value == address })
    return Set(try XCTUnwrap(capture.graph).roots.filter { $0.target == index }.map(\.place))
  }
}
