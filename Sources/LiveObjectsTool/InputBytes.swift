import LiveObjectsCapture
import LiveObjectsSystem

/// The bytes of what can be read only once, in memory that can be given back piece by piece.
final class InputBytes {
  private var memory: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  /// - Parameter expected: the size of the file, where it is known.
  init?(expecting expected: Int) {
    guard let memory = Self.map(max(min(expected, .max - 1) + 1, 1 << 20)) else { return nil }
    self.memory = memory
  }

  deinit { munmap(memory.baseAddress, memory.count) }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    defer { withExtendedLifetime(self) {} }
    return body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Reads the next bytes.
  ///
  /// - Returns: their number, 0 at the end; `nil`, with `errno` set, if that failed.
  func readMore(from descriptor: CInt) -> Int? {
    guard count < memory.count || grow() else { return nil }
    var result: Int
    repeat {
      result = read(descriptor, memory.baseAddress! + count, min(memory.count - count, 1 << 30))
    } while result < 0 && errno == EINTR
    guard result >= 0 else { return nil }
    count += result
    return result
  }

  /// - Parameter isKept: whether the bytes are read again.
  func file(isKept: Bool) -> FileBytes {
    FileBytes(
      count: count, load: { UnsafeRawBufferPointer(rebasing: self.memory[$0]) },
      discarding: { if !isKept { self.discard($0) } })
  }

  /// Gives memory back whose bytes are not read any more; they are zeros from now on.
  private func discard(_ range: Range<Int>) {
    let page = Int(getpagesize())
    let (first, end) = ((range.lowerBound + page - 1) / page * page, range.upperBound / page * page)
    if first < end { madvise(memory.baseAddress! + first, end - first, MADV_DONTNEED) }
  }

  private func grow() -> Bool {
    guard let larger = Self.map(memory.count * 2) else { return false }
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    munmap(memory.baseAddress, memory.count)
    memory = larger
    return true
  }

  private static func map(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return start == MAP_FAILED ? nil : UnsafeMutableRawBufferPointer(start: start, count: count)
  }
}
