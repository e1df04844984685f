// Leaves raw buffers behind, of sizes that no other code allocates, and prints their counts.

struct Allocation {
  var bytes: Int
  var alignment: Int
  var count: Int
}

/// An alignment of 16 or less goes through `malloc`, a greater one through `posix_memalign`.
let allocations = [
  Allocation(bytes: 1_009, alignment: 8, count: 41),
  Allocation(bytes: 2_003, alignment: 16, count: 43),
  Allocation(bytes: 4_099, alignment: 256, count: 47),
]

@inline(never) @_optimize(none)
func leave(_ allocation: Allocation) {
  for number in 0..<allocation.count * 10 {
    let buffer = UnsafeMutableRawPointer.allocate(
      byteCount: allocation.bytes, alignment: allocation.alignment)
    if number % 10 != 0 { buffer.deallocate() }
  }
}

@inline(never) @_optimize(none)
func leaveTyped(_ count: Int) {
  for number in 0..<count * 10 {
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 3_001)
    if number % 10 != 0 { buffer.deallocate() }
  }
}

allocations.forEach(leave)
leaveTyped(53)
print("{ \"1009\": 41, \"2003\": 43, \"4099\": 47, \"3001\": 53 }")
