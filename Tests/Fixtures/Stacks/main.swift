// Stacks PLACE [disarmed]
//
// Holds a hundred objects in memory near a stack, and ends the process in a signal handler on that stack. None of them
// leaks. `disarmed`: the system does not say that this is a signal's stack, as it cannot say that of a coroutine's.

import FixtureSupport

final class Held {}

/// A list in memory of the C library.
nonisolated(unsafe) var list: UnsafeMutableRawPointer?

func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(Held()).toOpaque() }

@inline(never)
func holdInList() {
  for _ in 0..<100 {
    let node = malloc(40)!
    node.storeBytes(of: list, as: UnsafeMutableRawPointer?.self)
    node.storeBytes(of: retained(), toByteOffset: 8, as: UnsafeMutableRawPointer.self)
    list = node
  }
}

@inline(never)
func hold(in memory: UnsafeMutableRawPointer) {
  for index in 0..<100 {
    memory.storeBytes(of: retained(), toByteOffset: index * 16, as: UnsafeMutableRawPointer.self)
  }
}

func mapped(_ bytes: Int, _ flags: CInt = 0) -> UnsafeMutableRawPointer {
  mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0)!
}

func endOnSignal(_ signal: CInt) {
  var action = sigaction()
  action.__sigaction_handler.sa_handler = { _ in _exit(0) }
  action.sa_flags = CInt(SA_ONSTACK)
  sigaction(signal, &action, nil)
}

func useStack(_ memory: UnsafeMutableRawPointer, bytes: Int) {
  let disarmed: UInt32 = CommandLine.arguments.last == "disarmed" ? 1 << 31 : 0  // SS_AUTODISARM
  var stack = stack_t(ss_sp: memory, ss_flags: CInt(bitPattern: disarmed), ss_size: bytes)
  precondition(sigaltstack(&stack, nil) == 0)
}

/// Every byte was used, so the system has memory for all of it.
func useStackOfUsedMemory(_ memory: UnsafeMutableRawPointer, bytes: Int) {
  memset(memory, 0, bytes)
  useStack(memory, bytes: bytes)
}

/// Without optimisation, or the objects would be on the stack.
@inline(never) @_optimize(none)
func made() -> Held { Held() }

@inline(never)
func callDeeply(_ count: Int, _ end: () -> Void) {
  let held = made()
  if count > 0 { callDeeply(count - 1, end) } else { end() }
  withExtendedLifetime(held) {}
}

/// Never set; an endless loop would end the lives of all objects that are held for what follows.
nonisolated(unsafe) var isOver = false

/// The signal interrupts a hook nearly always.
func allocateUntilSignal() {
  var timer = itimerval(it_interval: .init(), it_value: .init(tv_sec: 0, tv_usec: 20_000))
  endOnSignal(SIGALRM)
  setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
  while !isOver { _ = made() }
}

func eight<Value>(_ value: Value) -> (Value, Value, Value, Value, Value, Value, Value, Value) {
  (value, value, value, value, value, value, value, value)
}

/// What the calls below this frame hold lies below the stack.
@inline(never)
func endOnStackInFrame() {
  var memory = eight(eight(eight(eight(0))))
  withUnsafeMutableBytes(of: &memory) {
    useStackOfUsedMemory($0.baseAddress!, bytes: $0.count)
    callDeeply(100) { raise(SIGUSR1) }
  }
}

endOnSignal(SIGUSR1)
switch CommandLine.arguments[1] {
case "small-heap":
  holdInList()
  useStack(malloc(8192)!, bytes: 8192)
case "large-heap":
  holdInList()
  useStackOfUsedMemory(malloc(65536)!, bytes: 65536)
case "mapping":
  let memory = mapped(1 << 20)
  memset(memory, 0, 1 << 19)
  hold(in: memory)
  useStackOfUsedMemory(memory + (1 << 19), bytes: 1 << 19)
case "frame":
  endOnStackInFrame()
case "report":  // the report's own stack may continue this mapping
  hold(in: mapped(64 << 20, CInt(MAP_NORESERVE) | CInt(MAP_STACK)))
case "native": holdInList()
case "hook": callDeeply(1000, allocateUntilSignal)
default: fatalError("no such place")
}
raise(SIGUSR1)
