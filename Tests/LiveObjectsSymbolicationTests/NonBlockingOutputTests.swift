import LiveObjectsSystem
import Testing

/// A program may leave a stream that it shares with its reader non-blocking.
@Test func allBytesAreWrittenToANonBlockingPipe() async {
  var ends: [CInt] = [-1, -1]
  #expect(pipe(&ends) == 0)
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  let (reader, count) = (ends[0], 1 << 20)
  let received = Task.detached {
    usleep(50_000)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var received = 0
    while received < count {
      let bytes = read(reader, &buffer, buffer.count)
      guard bytes > 0 else { break }
      received += bytes
    }
    return received
  }
  #expect(writeAll([UInt8](repeating: 7, count: count), to: ends[1]))
  #expect(await received.value == count)
  for end in ends { close(end) }
}
