// The types of the survivors. No other code makes objects of them.

class PlantedClass {
  let number: Int
  init(_ number: Int) { self.number = number }
}

/// Holds itself: a retain cycle of one.
final class PlantedGeneric<Value> {
  let value: Value
  var itself: PlantedGeneric?
  init(_ value: Value) { self.value = value }
}

actor PlantedActor {
  var number: Int
  init(_ number: Int) { self.number = number }
}

struct PlantedElement {
  var number: Int
  var weight: Double
}

struct PlantedKey: Hashable {
  var number: Int
}

/// Too large for an existential's inline buffer.
struct PlantedValue {
  var number: Int
  var more = (1, 2, 3, 4, 5)
}

struct PlantedError: Error {
  var number: Int
}

// Left to find out for itself in another file that this is Sendable, Swift 6.2.3 says "circular reference".
indirect enum PlantedTree: Sendable {
  case leaf
  case node((Int, Int, Int, Int, Int, Int), PlantedTree)
}

final class PlantedBuffer: ManagedBuffer<Int, UInt8> {}

/// Pinned: an unowned reference keeps its memory after its deinit.
final class PlantedPinned {
  let number: Int
  init(_ number: Int) { self.number = number }
}

// What a bare generic argument would not keep as it is: a closure would be wrapped in a thunk with a
// context of its own, an existential would be opened and its box go.

struct HeldClosure {
  let closure: () -> Int
}

struct HeldValue {
  let value: any Sendable
}

struct HeldError {
  let error: any Error
}

struct HeldUnowned {
  unowned let object: PlantedPinned
}
