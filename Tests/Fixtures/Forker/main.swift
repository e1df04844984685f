// Forker CHILDREN
//
// Forks CHILDREN times while other threads allocate. Children allocate too, leave objects behind, and end by
// `exit` and `_exit` in turn. Prints how many ended with another status than they should.

import FixtureSupport

let children = Int(CommandLine.arguments[1])!
let allocators = 4
let survivorsOfEach = 499

// Types must be complete and conformances looked up before the first fork: a lock of the runtime's that another
// thread holds at that moment is never released in the child, with or without the recorder.
_ = (Passing(), Survivor(), ChildSurvivor())
pass(1_000)

let isOver = Locked(false)
let running = (0..<allocators).map { _ in PosixThread { allocate(until: isOver) } }
let wrong = (0..<children).filter { !forkEndsRight(number: $0) }.count
isOver.withLock { $0 = true }
for thread in running { thread.join() }
print("{ \"survivors\": \(allocators * survivorsOfEach + children), \"wrong\": \(wrong) }")

func allocate(until isOver: Locked<Bool>) {
  leaveSurvivors(survivorsOfEach)
  while !isOver.withLock({ $0 }) { pass(1_000) }
}

/// Forks, and returns whether the child ended with the expected status.
func forkEndsRight(number: Int) -> Bool {
  let status = Int32(number % 100)
  let child = unavailableFork()
  guard child != 0 else { endChild(by: number % 2 == 0 ? exit : _exit, status: status) }
  leaveSurvivors(1)
  var raw: Int32 = 0
  return waitpid(child, &raw, 0) == child && raw == status << 8
}

func endChild(by end: (Int32) -> Never, status: Int32) -> Never {
  pass(10_000)
  for _ in 0..<10 { leak(ChildSurvivor()) }
  end(status)
}

/// `fork` is marked unavailable where Swift imports it.
@_silgen_name("fork")
func unavailableFork() -> pid_t
