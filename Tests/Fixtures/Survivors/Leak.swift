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

/// Leaks a value if `isKept`, and releases it otherwise.
@inline(never) @_optimize(none)
func leak<Value>(_ value: consuming Value, if isKept: Bool) {
  if isKept { leak(value) }
}
