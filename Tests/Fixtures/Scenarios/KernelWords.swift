// Objects that only a pointer in the kernel refers to.

import Glibc

extension Scenario {
  /// For a separate program: LeakSanitizer does not see these references.
  static let kernelWords = [
    Scenario("epollEvent", plantEpollEvent),
    Scenario("closedEpoll", plantClosedEpoll),
    Scenario("timerValue", plantTimerValue),
    Scenario("wordInPipe", plantWordInPipe),
    Scenario("wordInSocket", plantWordInSocket),
    Scenario("wordInSignal", plantWordInSignal),
  ]
}

@_silgen_name("epoll_create1")
private func createEpoll(_ flags: CInt) -> CInt

@_silgen_name("epoll_ctl")
private func changeEpoll(
  _ epoll: CInt, _ operation: CInt, _ descriptor: CInt, _ event: UnsafeMutableRawPointer
) -> CInt

/// Registers the address of a retained object. The watched descriptor is an epoll too.
@inline(never) @_optimize(none)
func registerEvent() -> CInt {
  #if arch(x86_64)  // The structure is packed.
    let data = 4
  #else
    let data = 8
  #endif
  let (add, readable) = (CInt(1), UInt32(1))
  let epoll = createEpoll(0)
  withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { event in
    event.storeBytes(of: readable, as: UInt32.self)
    event.storeBytes(of: Handle().giveAway(), toByteOffset: data, as: UnsafeMutableRawPointer.self)
    precondition(changeEpoll(epoll, add, createEpoll(0), event.baseAddress!) == 0)
  }
  return epoll
}

@inline(never) @_optimize(none)
func plantEpollEvent() {
  use(registerEvent())
}

@inline(never) @_optimize(none)
func plantClosedEpoll() {
  close(registerEvent())
}

@inline(never) @_optimize(none)
func plantTimerValue() {
  var event = sigevent()
  event.sigev_notify = CInt(SIGEV_SIGNAL)
  event.sigev_signo = SIGUSR1
  event.sigev_value.sival_ptr = Handle().giveAway()
  var timer: timer_t?
  precondition(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
}

/// Writes the address of a retained object, and reads it never.
@inline(never) @_optimize(none)
private func send(to descriptor: CInt) {
  withUnsafeTemporaryAllocation(byteCount: MemoryLayout<UInt>.size, alignment: 8) { bytes in
    bytes.storeBytes(of: Handle().giveAway(), as: UnsafeMutableRawPointer.self)
    precondition(write(descriptor, bytes.baseAddress, bytes.count) == bytes.count)
  }
}

@inline(never) @_optimize(none)
func plantWordInPipe() {
  var ends: [CInt] = [0, 0]
  precondition(pipe(&ends) == 0)
  send(to: ends[1])
  close(ends[1])
}

@inline(never) @_optimize(none)
func plantWordInSocket() {
  var ends: [CInt] = [0, 0]
  precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
  send(to: ends[1])
}

@inline(never) @_optimize(none)
func plantWordInSignal() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGUSR1)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  precondition(sigqueue(getpid(), SIGUSR1, sigval(sival_ptr: Handle().giveAway())) == 0)
}
