// ThreadStorm THREADS GENERATIONS PARCELS SURVIVORS
//
// THREADS threads at a time make PARCELS parcels each, and hand them to one another, so that most are freed
// by another thread than the one that made them. Every thread is replaced GENERATIONS - 1 times on the way.
// Each of the THREADS leaves SURVIVORS survivors; no parcel is left.

import FixtureSupport

let numbers = CommandLine.arguments.dropFirst().map { Int($0)! }
let (threads, generations, parcels, survivors) = (numbers[0], numbers[1], numbers[2], numbers[3])

let mailboxes = (0..<threads).map { _ in Locked<Parcel?>(nil) }
for generation in 0..<generations {
  let work = Work(
    parcels: share(of: parcels, in: generation), survivors: share(of: survivors, in: generation))
  let running = (0..<threads).map { index in
    let (mine, next) = (mailboxes[index], mailboxes[(index + 1) % threads])
    return PosixThread { work.run(taking: mine, handingTo: next) }
  }
  for thread in running { thread.join() }
}
for mailbox in mailboxes {
  drop(mailbox.withLock { exchange(&$0, with: nil) })
}
print("{ \"survivors\": \(threads * survivors), \"parcels\": \(threads * parcels) }")

/// The part of a total that falls to one generation; the parts of all add up to the total.
func share(of total: Int, in generation: Int) -> Int {
  total * (generation + 1) / generations - total * generation / generations
}
