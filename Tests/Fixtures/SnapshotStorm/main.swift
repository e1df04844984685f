// SnapshotStorm SNAPSHOTS
//
// Takes snapshots with references while six threads make, change and free objects of many types,
// and explains every tenth. Ends with 0 if each could be taken.

import FixtureSupport
import LiveObjects

let snapshots = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100

try LiveObjects.start()
let before = try LiveObjects.snapshot(references: false)
let threads = (0..<6).map { number in
  PosixThread { Churning(seed: number * 1000).run() }
}
for number in 1...snapshots {
  let snapshot = try LiveObjects.snapshot()
  if number % 10 == 0 { _ = try snapshot.growth(since: before).description }
}
Churning.isOver.withLock { $0 = true }
for thread in threads { thread.join() }
