import LiveObjectsCapture
import LiveObjectsSystem

/// Files that are read.
enum InputFile {
  static func bytes(of path: String) throws(ToolFailure) -> [UInt8] {
    try reading(path) { readAll($0) { _ in true } }.withUnsafeBytes { Array($0) }
  }

  /// What a file contains, as its first bytes say. Of a regular file with captures one piece at a time is in
  /// memory.
  ///
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - isKept: whether the bytes of captures are wanted too.
  static func content(of path: String, isKept: Bool) throws(ToolFailure) -> InputContent {
    try reading(path) { descriptor in
      let pieces = FilePieces(of: descriptor)
      if let pieces, pieces.beginsReport { return pieces.report }
      if let pieces { return captures(in: pieces.file, isKept, error: { pieces.error }) }
      guard let bytes = readAll(descriptor, InputContent.isWanted) else { return nil }
      if bytes.withUnsafeBytes(InputContent.isReport) {
        return bytes.withUnsafeBytes { InputContent.report($0) }
      }
      return captures(in: bytes.file(isKept: isKept), isKept, error: { nil })
    }
  }

  private static func captures(
    in file: FileBytes, _ isKept: Bool, error: () -> CInt?
  ) -> InputContent? {
    let readable = ReadableCaptures(in: file)
    if let error = error() {
      errno = error
      return nil
    }
    return .captures(readable, isKept ? file.bytes(in: 0..<readable.size) : [])
  }

  /// - Parameter read: returns `nil`, with `errno` set, if that failed.
  private static func reading<Result>(
    _ path: String, _ read: (CInt) -> Result?
  ) throws(ToolFailure) -> Result {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { if path != "-" { close(descriptor) } }
    guard let result = read(descriptor) else { throw failure(path) }
    return result
  }

  /// - Throws: unless there is a folder that can be listed.
  static func checkFolder(_ path: String) throws(ToolFailure) {
    guard let folder = opendir(path) else { throw failure(path) }
    closedir(folder)
  }

  /// - Parameter isWanted: whether to read on after these bytes.
  /// - Returns: `nil`, with `errno` set, if reading failed.
  private static func readAll(
    _ descriptor: CInt, _ isWanted: (UnsafeRawBufferPointer) -> Bool
  ) -> InputBytes? {
    var status = stat()
    let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    guard let bytes = InputBytes(expecting: max(size, 0)) else { return nil }
    while true {
      guard let count = bytes.readMore(from: descriptor) else { return nil }
      guard count > 0, bytes.withUnsafeBytes(isWanted) else { return bytes }
    }
  }

  private static func failure(_ path: String) -> ToolFailure {
    let code = errno
    let reason =
      code == EFBIG
      ? "it is a JSON report of more than \(InputContent.greatestReport >> 20) MB: use the captures that `--capture` writes"
      : "\(SystemError(code: code))"
    return ToolFailure("cannot read \(path): \(reason)")
  }
}

/// What a file contains.
enum InputContent {
  /// All captures that are readable, and the bytes that they take.
  case captures(ReadableCaptures, [UInt8])
  /// A JSON report.
  case report([UInt8])

  /// The size of a report of some 100,000 findings.
  static let greatestReport = 1 << 28

  /// - Returns: `nil`, with `errno` set, for a report that is too large.
  static func report(_ bytes: UnsafeRawBufferPointer) -> InputContent? {
    guard bytes.count <= greatestReport else {
      errno = EFBIG
      return nil
    }
    return .report(Array(bytes))
  }

  static func isReport(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  /// Whether to read on after the first bytes of a stream.
  static func isWanted(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isReport(bytes) ? bytes.count <= greatestReport : Capture.mayBegin(with: bytes)
  }
}

/// A regular file, of which one piece is in memory. It is not mapped: SIGBUS would end the process if the file
/// became shorter.
private final class FilePieces {
  /// The least that is read at a time: sections may have a few bytes.
  private static let leastSize = 1 << 16

  private let descriptor: CInt
  private let start: Int
  private let count: Int
  /// Room for all of the file, since any piece may be as large; only what is written to is in memory. A file
  /// without room could not be analysed either: a sparse one may be of any size.
  private let memory: UnsafeMutableRawBufferPointer
  /// The bytes in memory, by their place in the file.
  private var loaded = 0..<0
  private(set) var error: CInt?

  /// - Returns: `nil` for what is no regular file, or has no size, like the files of `/proc`.
  init?(of descriptor: CInt) {
    var status = stat()
    start = Int(lseek(descriptor, 0, SEEK_CUR))
    guard start >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > start
    else { return nil }
    self.descriptor = descriptor
    count = Int(status.st_size) - start
    let room = malloc(max(count, Self.leastSize))
    memory = UnsafeMutableRawBufferPointer(start: room, count: room == nil ? 0 : max(count, Self.leastSize))
    error = room == nil ? ENOMEM : nil
  }

  deinit { free(memory.baseAddress) }

  var file: FileBytes { FileBytes(count: count, load: bytes(in:)) }

  var beginsReport: Bool { InputContent.isReport(bytes(in: 0..<min(count, 64))) }

  /// - Returns: `nil`, with `errno` set, if it could not be read.
  var report: InputContent? {
    let bytes = bytes(in: 0..<min(count, InputContent.greatestReport + 1))
    if let error {
      errno = error
      return nil
    }
    return InputContent.report(bytes)
  }

  private func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
    if range.lowerBound < loaded.lowerBound || range.upperBound > loaded.upperBound { load(range) }
    let part = range.clamped(to: loaded)
    return UnsafeRawBufferPointer(
      rebasing: memory[part.lowerBound - loaded.lowerBound..<part.upperBound - loaded.lowerBound])
  }

  private func load(_ range: Range<Int>) {
    loaded = range.lowerBound..<range.lowerBound
    let part = memory.prefix(max(range.count, Self.leastSize))
    while loaded.upperBound < range.upperBound {
      let free = UnsafeMutableRawBufferPointer(rebasing: part[loaded.count...])
      let result = pread(descriptor, free.baseAddress, free.count, off_t(start + loaded.upperBound))
      if result < 0 && errno == EINTR { continue }
      if result < 0 { error = errno }
      guard result > 0 else { return }
      loaded = loaded.lowerBound..<loaded.upperBound + result
    }
  }
}

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
