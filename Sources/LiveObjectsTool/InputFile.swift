import LiveObjectsSystem

/// A file that is read as a whole.
enum InputFile {
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - isWanted: whether to read on after the first bytes.
  static func memory(
    of path: String, ifBeginning isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  ) throws(ToolFailure) -> InputBytes {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { if path != "-" { close(descriptor) } }
    guard let bytes = readAll(descriptor, isWanted) else { throw failure(path) }
    return bytes
  }

  static func bytes(of path: String) throws(ToolFailure) -> [UInt8] {
    try memory(of: path).withUnsafeBytes { Array($0) }
  }

  /// - Throws: unless there is a folder that can be listed.
  static func checkFolder(_ path: String) throws(ToolFailure) {
    guard let folder = opendir(path) else { throw failure(path) }
    closedir(folder)
  }

  /// - Returns: `nil`, with `errno` set, if reading failed.
  private static func readAll(
    _ descriptor: CInt, _ isWanted: (UnsafeRawBufferPointer) -> Bool
  ) -> InputBytes? {
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    guard let bytes = InputBytes(expecting: max(size, 0)) else { return nil }
    var isFirst = true
    while true {
      guard let count = bytes.readMore(from: descriptor) else { return nil }
      guard count > 0, !isFirst || bytes.withUnsafeBytes(isWanted) else { return bytes }
      isFirst = false
    }
  }

  private static func failure(_ path: String) -> ToolFailure {
    ToolFailure("cannot read \(path): \(SystemError(code: errno))")
  }
}

/// The bytes of a file in memory that can be given back piece by piece.
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

  /// Gives memory back whose bytes are not read any more; they are zeros from now on.
  func discard(_ range: Range<Int>) {
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
