// Keeps a heap of as many megabytes alive as its argument says, and works on it. Prints a line when the heap is there,
// and then, once a second, the longest time in that second in which it was held up, in microseconds.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Takes 256 bytes.
final class Node {
  typealias Row = (Int, Int, Int, Int, Int, Int, Int)
  var rows: (Row, Row, Row, Row) = (
    (0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0)
  )
  var next: Node?
}

func microseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}

func report(_ text: String) {
  print(text)
  fflush(nil)
}

guard let megabytes = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }), megabytes > 0 else {
  print("usage: LargeHeap MEGABYTES")
  exit(2)
}
let nodes = (0..<megabytes * 4096).map { _ in Node() }
for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
report("ready")

var (second, last, longest, index) = (microseconds(), microseconds(), 0, 0)
while true {
  // A page that a snapshot shares is copied when it is written to.
  nodes[index].rows.0.0 &+= 1
  index = (index &+ 7919) % nodes.count
  let now = microseconds()
  longest = max(longest, now - last)
  last = now
  guard now - second >= 1_000_000 else { continue }
  report("\(longest)")
  (second, longest) = (now, 0)
}
