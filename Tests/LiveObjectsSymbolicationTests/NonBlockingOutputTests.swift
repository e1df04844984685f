import LiveObjectsSystem
import TestSupport
import Testing

/// A program may leave a stream that it shares with its reader non-blocking.
///
/// In threads of its own: a reader that is a task would wait for all other tests, and block one of the few threads on
/// which they run.
@Test func allBytesAreWrittenToANonBlockingPipe() throws {
  var ends: [CInt] = [-1, -1]
  #expect(pipe(&ends) == 0)
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  let (reader, count) = (ends[0], 1 << 20)
  let counts = try concurrently(ends) { end in
    if end == reader { return bytesRead(from: end, upTo: count) }
    return writeAll([UInt8](repeating: 7, count: count), to: end) ? count : 0
  }
  #expect(counts == [count, count])
  for end in ends { close(end) }
}

private func bytesRead(from descriptor: CInt, upTo count: Int) -> Int {
  usleep(50_000)
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  var received = 0
  while received < count {
    let bytes = read(descriptor, &buffer, buffer.count)
    guard bytes > 0 else { break }
    received += bytes
  }
  return received
}
