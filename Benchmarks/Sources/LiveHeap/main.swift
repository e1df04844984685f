// What tracking costs in memory: prints by how many bytes a million live objects made the process grow.
// The difference between a tracked and a plain run, divided by the number of objects, is the recorder's share.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

final class Node {
  var payload = (0, 0)
}

/// Resident bytes of this process; 0 where there is no /proc.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
  let fields = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
  return Int(fields[1])! * Int(getpagesize())
}

let count = 1_000_000
var nodes: [Node] = []
nodes.reserveCapacity(count)
let before = residentBytes()
for _ in 0..<count { nodes.append(Node()) }
let growth = residentBytes() - before
withExtendedLifetime(nodes) { print(growth) }
