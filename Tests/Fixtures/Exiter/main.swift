// Exiter WAY [STATUS]
//
// Leaves 17 objects behind, writes one line, and ends in the way named.

import FixtureSupport

final class Leftover {}

@inline(never) @_optimize(none)
func leaveLeftovers() {
  for _ in 0..<17 { leak(Leftover()) }
}

func allocateForEver() -> Never {
  while true { _ = String(repeating: "passing", count: 100).uppercased() }
}

/// Ends the process as crash handlers do: in a signal handler, on an alternate stack of the usual size
/// with nothing below it.
func exitInSignalHandler() {
  let size = 8192
  let hole = 65536
  let start = mmap(nil, hole + size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)! + hole
  mprotect(start, size, PROT_READ | PROT_WRITE)
  var stack = stack_t(ss_sp: start, ss_flags: 0, ss_size: size)
  sigaltstack(&stack, nil)
  var action = sigaction()
  action.__sigaction_handler.sa_handler = { _ in _exit(8) }
  action.sa_flags = Int32(SA_ONSTACK)
  sigaction(SIGUSR1, &action, nil)
  raise(SIGUSR1)
}

leaveLeftovers()
// Stays in the buffer if standard output is a file: an early end of the process loses it.
print("about to end")
let status = CommandLine.arguments.count > 2 ? Int32(CommandLine.arguments[2])! : 0

switch CommandLine.arguments[1] {
case "return": break
case "exit": exit(status)
case "_exit": _exit(status)
case "_exit-in-handler": exitInSignalHandler()
case "exit-from-thread": PosixThread { exit(status) }.join()
case "exit-among-threads":
  for _ in 0..<4 { _ = PosixThread { allocateForEver() } }
  usleep(20_000)
  exit(status)
case "exit-from-two-threads", "exit-from-many-threads":
  for _ in 0..<(CommandLine.arguments[1].contains("two") ? 1 : 100) {
    _ = PosixThread {
      usleep(20_000)
      exit(status)
    }
  }
  exit(status)
case "quick_exit": quick_exit(status)
case "exit-cancelled": endWithPendingCancel { exit(status) }
case "_exit-while-heap-is-locked": endWhileAnotherThreadHoldsTheHeap()
case "_exit-in-handler-in-heap": endInHandlerThatInterruptedTheHeap()
case "exit-while-linker-is-locked": endWhileAnotherThreadHoldsTheLinker { exit(status) }
case "exit-while-input-is-read": endWhileAnotherThreadReads { exit(status) }
case "exit-while-thread-faults": endWhileAnotherThreadFaults { exit(status) }
case "_exit-while-thread-faults": endWhileAnotherThreadFaults { _exit(status) }
case "exit-while-thread-writes": endWhileAnotherThreadWrites { exit(status) }
case "exit-before-alarm": endBeforeAlarm { exit(status) }
case "_exit-before-alarm": endBeforeAlarm { _exit(status) }
case "exit-before-timer": endBeforeTimer { exit(status) }
case "exit-sandboxed":
  enterSandbox(by: .control)
  exit(status)
case "_exit-sandboxed":
  enterSandbox(by: .library)
  _exit(status)
case "work-sandboxed":
  enterSandbox(by: .control)
  workWithObjects()
  exit(status)
case "exit-sandboxed-unseen":
  enterSandbox(by: .instruction)
  exit(status)
case "end-main-thread":
  _ = PosixThread { leaveLeftovers() }
  pthread_exit(nil)
case "fatalError": fatalError("on purpose")
case "abort": abort()
case "terminate": kill(getpid(), SIGTERM)
case "segfault": UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
case let way: fatalError("no such way: \(way)")
}
