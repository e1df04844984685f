#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What takes more is not in proportion to its input: the tests that ask need a tenth of it, and what they guard against
/// took minutes.
public let mostProcessorSeconds = 20.0

/// The processor time of this thread, in seconds.
public func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
  let start = now()
  try body()
  return now() - start
}

private func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
