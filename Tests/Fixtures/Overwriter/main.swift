// Overwriter
//
// Leaves 20 valid objects in cycles behind, and many whose header, counts or properties it has overwritten with words
// that are no metadata, no side table and no reference.

import FixtureSupport

final class Healthy {
  var other: Healthy?
}

final class Victim {
  var other: Victim?
  var text = "longer than what fits into the value itself"
  var list = [1, 2, 3]
  var anything: Any?
  var function: (() -> Void)?
}

@inline(never) @_optimize(none)
func leaveHealthy() {
  for _ in 0..<10 {
    let (one, other) = (Healthy(), Healthy())
    (one.other, other.other) = (other, one)
  }
}

/// The words of an object that is left behind.
@inline(never) @_optimize(none)
func makeVictim() -> UnsafeMutablePointer<UInt> {
  let victim = Victim()
  victim.other = victim
  victim.anything = [victim]
  victim.function = { [victim] in _ = victim.list }
  return UnsafeMutablePointer(OpaquePointer(Unmanaged.passRetained(victim).toOpaque()))
}

/// The end of a page before unmapped memory.
func makeEdge() -> UnsafeMutableRawPointer {
  let bytes = 4096
  let start = mmap(nil, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
  memset(start, 0x41, bytes)
  munmap(start + bytes, bytes)
  return start + bytes
}

/// Memory that begins like metadata of a kind, with invalid pointers.
func makeMetadata(kind: UInt, leadingTo place: UInt) -> UInt {
  let words = UnsafeMutablePointer<UInt>.allocate(capacity: 16)
  words.initialize(repeating: place, count: 16)
  words[1] = kind
  return UInt(bitPattern: words + 1)
}

let edge = UInt(bitPattern: makeEdge())
let another = UInt(bitPattern: makeVictim())
let code = UInt(bitPattern: dlsym(nil, "malloc"))
let words =
  [0, 1, 3, 0x1000, 0x400, 0x500, 0x501, 0x7ff, .max, 1 << 63, 0x7fff_ffff_f000]
  + [edge, edge - 8, edge - 4096, another, another + 4, code, code | 1]
  + [0, 0x400, 0x500, 0x501, 0x800].map { makeMetadata(kind: $0, leadingTo: edge) }

for word in words {
  makeVictim()[0] = word  // the metadata
  makeVictim()[1] = word | 1 << 63  // the counts, in a side table
  let victim = makeVictim()
  for property in 2..<9 { victim[property] = word }
}
leaveHealthy()
_exit(0)
