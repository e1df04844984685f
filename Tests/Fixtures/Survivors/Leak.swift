#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Keeps a value, and what it holds, for ever: in memory of `malloc`, which makes no object.
@inline(never) @_optimize(none)
func leak<Value>(_ value: consuming Value) {
  let memory = malloc(MemoryLayout<Value>.size)!
  memory.bindMemory(to: Value.self, capacity: 1).initialize(to: value)
}

/// Ends a value's life unless it shall be kept.
@inline(never) @_optimize(none)
func leak<Value>(_ value: consuming Value, if isKept: Bool) {
  if isKept { leak(value) }
}
