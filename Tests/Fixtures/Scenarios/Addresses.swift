// Words that are addresses of objects, or lead to them, without being references.

import Glibc

extension Scenario {
  /// For a separate program: LeakSanitizer takes the words for references.
  static let hiddenPointers = [
    Scenario("interiorPointer") { hide(Handle().giveAway() + MemoryLayout<Int>.size * 2) },
    Scenario("taggedPointer") {
      hide(UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: Handle().giveAway()) | 0xabcd << 48)!)
    },
    Scenario("taggedInArray") {
      for _ in 0..<3 { boxes.append(UInt64(UInt(bitPattern: Handle().giveAway())) | 0xfffa << 48) }
    },
    Scenario("elementsOfBuffer", plantElements),
    Scenario("inCStructureOfFormerBuffer", plantInFormerBuffer),
    Scenario("lostBuffers", plantLostBuffers),
    Scenario("lostTypedBuffers") { for _ in 0..<30 { plantTypedBuffer() } },
    Scenario("lostRing") { _ = plantRing() },
    Scenario("ringOfBuffers") { hide(plantRing()) },
    Scenario("pointerIntoBuffer") { hide(plantBuffer() + 8) },
    Scenario("taggedPointerToBuffer") {
      hide(UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: plantBuffer()) | 0xabcd << 48)!)
    },
    Scenario("cFreesBuffers", plantFreedBuffers),
    Scenario("handlesInBuffer", plantHandles),
    Scenario("pointerBetweenHandles", plantCursor),
  ]

  /// For a separate program: whether a leak has the address of an object that has died depends on what ran before.
  static let formerAddresses = [
    Scenario("formerIdentifiers") {
      plantGuests(beside: &GuestBook.shared.identifiers) { ObjectIdentifier($0) }
    },
    Scenario("formerIdentifiersAsKeys") {
      plantGuests { GuestBook.shared.table[GuestBook.Key(identifier: ObjectIdentifier($0))] = 1 }
    },
    Scenario("formerNumbers") {
      plantGuests(beside: &GuestBook.shared.numbers) { UInt(bitPattern: ObjectIdentifier($0)) }
    },
  ]
}

// MARK: - Pointers that lead into an object

/// Keeps a pointer in memory of C code only.
@inline(never) @_optimize(none)
private func hide(_ pointer: UnsafeMutableRawPointer) {
  let cell = malloc(64)!
  cell.storeBytes(of: pointer, as: UnsafeMutableRawPointer.self)
  listOfC = cell
}

nonisolated(unsafe) private var listOfC: UnsafeMutableRawPointer?

private let bufferBytes = 200_000

@inline(never) @_optimize(none)
private func plantBuffer() -> UnsafeMutableRawPointer {
  .allocate(byteCount: bufferBytes, alignment: 16)
}

/// An object goes with its buffer. A buffer that an array leads to is not lost.
@inline(never) @_optimize(none)
private func plantLostBuffers() {
  for _ in 0..<30 { plantBuffer().storeBytes(of: Handle().giveAway(), as: UnsafeMutableRawPointer.self) }
  boxes.append(UInt64(UInt(bitPattern: plantBuffer())) + 8)
}

@inline(never) @_optimize(none)
private func plantTypedBuffer() {
  UnsafeMutableBufferPointer<Handle>.allocate(capacity: 8).initializeElement(at: 0, to: Handle())
}

nonisolated(unsafe) private var handles: UnsafeMutableBufferPointer<Handle>?

/// The memory is as large as a side table, and the standard library allocates it.
@inline(never) @_optimize(none)
private func plantHandles() {
  let buffer = UnsafeMutableBufferPointer<Handle>.allocate(capacity: 4)
  for index in buffer.indices { buffer.initializeElement(at: index, to: Handle()) }
  handles = buffer
}

nonisolated(unsafe) private var cursor: UnsafeMutablePointer<Handle?>?

/// A pointer into the memory leads to all of its elements.
@inline(never) @_optimize(none)
private func plantCursor() {
  let buffer = UnsafeMutablePointer<Handle?>.allocate(capacity: 8)
  buffer.initialize(repeating: nil, count: 8)
  buffer[5] = Handle()
  cursor = buffer + 2
}

/// Buffers that lead to each other only.
@inline(never) @_optimize(none)
private func plantRing() -> UnsafeMutableRawPointer {
  let buffers = (0..<30).map { _ in plantBuffer() }
  for (index, buffer) in buffers.enumerated() {
    buffer.storeBytes(of: buffers[(index + 1) % buffers.count], as: UnsafeMutableRawPointer.self)
  }
  return buffers[0]
}

/// Values with their type in the upper bits, as interpreters have them.
nonisolated(unsafe) private var boxes: [UInt64] = []

final class SampleBuffer: ManagedBuffer<Int, Float> {}

nonisolated(unsafe) private var samples: UnsafeMutablePointer<Float>?

/// Keeps the address of a buffer's elements only.
@inline(never) @_optimize(none)
private func plantElements() {
  let buffer = SampleBuffer.create(minimumCapacity: 64) { _ in 64 }
  _ = Unmanaged.passRetained(buffer)
  samples = buffer.withUnsafeMutablePointerToElements { $0 }
}

private let formerBytes = 72

/// C code frees memory that Swift code has allocated, and gets it again for a structure to whose middle its list leads.
@inline(never) @_optimize(none)
private func plantInFormerBuffer() {
  free(UnsafeMutableRawPointer.allocate(byteCount: formerBytes, alignment: 8))
  let structure = malloc(formerBytes)!
  structure.storeBytes(of: Handle().giveAway(), as: UnsafeMutableRawPointer.self)
  hide(structure + 24)
}

@inline(never) @_optimize(none)
private func plantFreedBuffers() {
  let buffers = (0..<30).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 3_000, alignment: 8) }
  for buffer in buffers { free(buffer) }
  free(UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 8))
}

// MARK: - Addresses of objects that have died

final class Guest {
  var digits = (1, 2, 3)
}

/// Knows objects by their addresses, and keeps none of them alive.
final class GuestBook {
  nonisolated(unsafe) static let shared = GuestBook()

  struct Key: Hashable {
    var identifier: ObjectIdentifier
    var section: Int32 = 0
  }
  var identifiers: [ObjectIdentifier] = []
  var table: [Key: Int] = [:]
  var numbers: [UInt] = []
}

@inline(never) @_optimize(none)
private func plantGuests(register: (Guest) -> Void) {
  for guest in (0..<30).map({ _ in Guest() }) { register(guest) }
  for _ in 0..<30 { use(Unmanaged.passRetained(Guest()).toOpaque()) }
}

@inline(never) @_optimize(none)
private func plantGuests<Word>(beside words: inout [Word], word: (Guest) -> Word) {
  plantGuests { words.append(word($0)) }
}
