// How long a snapshot of a million live objects takes: prints the median of nine, in milliseconds.

import LiveObjects

final class Node {
  var payload = (0, 0)
}

try LiveObjects.start()
let nodes = (0..<1_000_000).map { _ in Node() }
let clock = ContinuousClock()
var times: [Duration] = []
for _ in 0..<9 {
  let start = clock.now
  let snapshot = try LiveObjects.snapshot(references: false)
  times.append(clock.now - start)
  withExtendedLifetime(snapshot) {}
}
withExtendedLifetime(nodes) {
  let median = times.sorted()[times.count / 2]
  print(Double(median.components.attoseconds) / 1e15 + Double(median.components.seconds) * 1e3)
}
