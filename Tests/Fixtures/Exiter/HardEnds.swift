// Ends at moments when the C library's locks are held, or a signal is on its way.

import FixtureSupport

// Functions that Swift's Glibc module does not import.
@_silgen_name("malloc_stats") private func printMallocStatistics()
@_silgen_name("gettid") private func currentThread() -> CInt
@_silgen_name("dl_iterate_phdr") private func visitImages(
  _ visit: @convention(c) (UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> CInt,
  _ context: UnsafeMutableRawPointer?
) -> CInt

/// Makes standard error a full pipe that no process reads.
private func blockStandardError() {
  var ends: [CInt] = [0, 0]
  pipe(&ends)
  dup2(ends[1], 2)
  let flags = fcntl(2, F_GETFL)
  _ = fcntl(2, F_SETFL, flags | O_NONBLOCK)
  while write(2, "x", 1) == 1 {}
  _ = fcntl(2, F_SETFL, flags)
}

/// Waits until a thread of this process sleeps in the kernel.
///
/// - Parameter thread: set by the thread itself.
private func waitUntilAsleep(_ thread: Locked<CInt>) {
  var state = UInt8(0)
  repeat {
    usleep(10_000)
    let thread = thread.withLock { $0 }
    guard thread != 0 else { continue }
    let file = fopen("/proc/self/task/\(thread)/stat", "r")!
    defer { fclose(file) }
    while getc(file) != CInt(UInt8(ascii: ")")) {}
    _ = getc(file)
    state = UInt8(truncatingIfNeeded: getc(file))
  } while state != UInt8(ascii: "S")
}

/// Ends the process in a signal handler on the calling thread, once a thread sleeps.
private func endOnThisThread(whenAsleep thread: Locked<CInt>) {
  let this = pthread_self()
  signal(SIGUSR1) { _ in _exit(7) }
  _ = PosixThread {
    waitUntilAsleep(thread)
    pthread_kill(this, SIGUSR1)
  }
}

/// Another thread holds the lock of the main heap, because it prints malloc statistics.
func endWhileAnotherThreadHoldsTheHeap() {
  let thread = Locked<CInt>(0)
  blockStandardError()
  endOnThisThread(whenAsleep: thread)
  _ = PosixThread {
    thread.withLock { $0 = currentThread() }
    printMallocStatistics()
  }
  while true { pause() }
}

/// The thread that ends the process holds the lock itself, in the code that a signal handler interrupted.
func endInHandlerThatInterruptedTheHeap() {
  blockStandardError()
  endOnThisThread(whenAsleep: Locked(currentThread()))
  printMallocStatistics()
}

/// Another thread holds a lock of the dynamic linker, for ever.
func endWhileAnotherThreadHoldsTheLinker(_ end: () -> Void) {
  let thread = Locked<CInt>(0)
  _ = PosixThread {
    let context = Unmanaged.passUnretained(thread).toOpaque()
    _ = visitImages(
      { _, _, context in
        Unmanaged<Locked<CInt>>.fromOpaque(context!).takeUnretainedValue().withLock { $0 = currentThread() }
        while true { sleep(100) }
      }, context)
  }
  waitUntilAsleep(thread)
  end()
}

/// A thread waits for input, with the lock of its stream.
func endWhileAnotherThreadReads(_ end: () -> Void) {
  var ends: [CInt] = [0, 0]
  pipe(&ends)
  dup2(ends[0], 0)
  let thread = Locked<CInt>(0)
  _ = PosixThread {
    thread.withLock { $0 = currentThread() }
    _ = readLine()
  }
  waitUntilAsleep(thread)
  end()
}

/// The report takes longer than the program's alarm.
func endBeforeAlarm(_ end: () -> Void) {
  var alarm = itimerval(it_interval: .init(), it_value: .init(tv_sec: 2, tv_usec: 0))
  setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &alarm, nil)
  end()
}

/// Its signal ends the process.
func endBeforeTimer(_ end: () -> Void) {
  var event = sigevent()
  event.sigev_notify = CInt(SIGEV_SIGNAL)
  event.sigev_signo = SIGUSR1
  var timer: timer_t?
  var time = itimerspec(it_interval: .init(), it_value: .init(tv_sec: 2, tv_nsec: 0))
  precondition(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
  timer_settime(timer, 0, &time, nil)
  end()
}

func endWithPendingCancel(_ end: @escaping @Sendable () -> Void) {
  fflush(nil)  // or the thread ends there
  PosixThread {
    pthread_cancel(pthread_self())
    end()
  }.join()
  while true { sleep(100) }
}

/// Waits for a file, named by the last argument, and removes it.
private func waitForFile() {
  while unlink(CommandLine.arguments[3]) != 0 { usleep(1000) }
}

/// A thread uses memory that `exit` has freed, once the file exists.
func endWhileAnotherThreadFaults(_ end: () -> Void) {
  _ = PosixThread {
    waitForFile()
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
  }
  end()
}

/// A thread writes to a pipe without a reader, once the file exists.
func endWhileAnotherThreadWrites(_ end: () -> Void) {
  var ends: [CInt] = [0, 0]
  pipe(&ends)
  close(ends[0])
  let output = ends[1]
  _ = PosixThread {
    waitForFile()
    _ = write(output, "x", 1)
  }
  end()
}
