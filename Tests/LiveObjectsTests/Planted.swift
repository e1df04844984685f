/// Deliberate survivors. `plant` keeps an object alive for ever without any container that would be
/// reported as well. (Unoptimised: an unused object would not be allocated at all.)
final class Planted {
  var other: AnyObject?
  init(_ other: AnyObject? = nil) { self.other = other }
}

final class GenericPlanted<Value: Sendable>: Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

final class PlantedCallback {
  let callback: () -> Int
  init(_ callback: @escaping () -> Int) { self.callback = callback }
}

actor PlantedActor {
  var count = 0
}

struct PlantedError: Error {
  let planted: GenericPlanted<Int>
}

enum TypedError: Error, Equatable {
  case expected
}

@inline(never) @_optimize(none)
func plant(_ object: AnyObject) {
  _ = Unmanaged.passRetained(object)
}

/// Keeps all objects of a value alive, like `plant`.
@inline(never) @_optimize(none)
func plantValue<Value>(_ value: Value) {
  withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { memory in
    memory.initializeElement(at: 0, to: value)
  }
}

@inline(never) @_optimize(none)
func makeRetainCycle() {
  let one = Planted()
  let two = Planted(one)
  one.other = two
}

@inline(never) @_optimize(none)
func use<Value>(_ value: Value) {}

/// An object that the optimiser cannot keep on the stack.
@inline(never) @_optimize(none)
func onHeap<Object: AnyObject>(_ make: () -> Object) -> Object { make() }
