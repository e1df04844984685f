#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What takes more is not in proportion to its input: the tests that ask need a tenth of it, and what they guard against
/// took minutes. A slow machine, such as an emulated one, gets more.
public var mostProcessorSeconds: Double { max(20, 100 * processorSeconds(countWords)) }

/// Takes a fifth of a second, without optimisation, where the tests' limit is 20 seconds.
private func countWords() {
  var words: [String: Int] = [:]
  for index in 0..<100_000 { words["word \(index % 60_000)", default: 0] += 1 }
  precondition(words.sorted { $0.key < $1.key }.count == 60_000)
}

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
