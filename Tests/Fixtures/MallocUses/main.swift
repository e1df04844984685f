// Allocates memory in all ways of the C library, each with a size of its own: leaves some behind to which nothing leads, and
// keeps other memory where only the C library, a register or an address inside of it leads to it.

import FixtureSupport
import Glibc

nonisolated(unsafe) var head: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
nonisolated(unsafe) var inside: UnsafeMutableRawPointer?

/// The compiler removes allocations that nothing uses.
@inline(never) @_optimize(none)
func fill(_ memory: UnsafeMutableRawPointer?, _ bytes: Int) -> UnsafeMutableRawPointer {
  memset(memory!, 1, bytes)
  return memory!
}

// MARK: - Lost

func lose() {
  for _ in 0..<11 { _ = fill(malloc(1_101), 1_101) }
  for _ in 0..<12 { _ = fill(calloc(1, 1_102), 1_102) }
  for _ in 0..<13 { _ = fill(realloc(fill(malloc(20), 20), 1_103), 1_103) }
  for _ in 0..<14 { _ = fill(aligned_alloc(64, 1_152), 1_152) }
  for _ in 0..<15 {
    var memory: UnsafeMutableRawPointer?
    posix_memalign(&memory, 256, 1_105)
    _ = fill(memory, 1_105)
  }
  for _ in 0..<16 { _ = fill(strdup(String(repeating: "x", count: 1_105)), 1_105) }
}

/// The first one leads to the others, and nothing to it.
func loseList() {
  var last: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  for _ in 0..<17 {
    let node = fill(malloc(1_107), 1_107).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    node.pointee = UnsafeMutableRawPointer(last)
    last = node
  }
}

// MARK: - Kept

func keepList() {
  for _ in 0..<18 {
    let node = fill(malloc(1_201), 1_201).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    node.pointee = UnsafeMutableRawPointer(head)
    head = node
  }
}

func keepForThread() {
  var key = pthread_key_t()
  pthread_key_create(&key, nil)
  pthread_setspecific(key, fill(malloc(1_202), 1_202))
}

// MARK: - Freed

func freeElsewhere() {
  for _ in 0..<100 {
    let address = UInt(bitPattern: fill(malloc(1_301), 1_301))
    PosixThread { free(UnsafeMutableRawPointer(bitPattern: address)) }.join()
  }
}

func change() {
  for number in 1..<20_000 {
    var memory = fill(malloc(number % 3_000 + 1), 1)
    memory = fill(realloc(memory, number % 777 + 1), 1)
    free(memory)
  }
}

@inline(never) @_optimize(none)
func run() {
  lose()
  loseList()
  keepList()
  keepForThread()
  inside = fill(malloc(1_203), 1_203) + 17
  freeElsewhere()
  change()
}

run()
print("done")
