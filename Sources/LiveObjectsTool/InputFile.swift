import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read as a whole.
enum InputFile {
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - isWanted: whether to read on after the first bytes.
  static func bytes(
    of path: String, ifBeginning isWanted: ([UInt8]) -> Bool = { _ in true }
  ) throws(ToolFailure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { if path != "-" { close(descriptor) } }
    guard let bytes = readAll(descriptor, isWanted) else { throw failure(path) }
    return bytes
  }

  /// - Throws: unless there is a folder that can be listed.
  static func checkFolder(_ path: String) throws(ToolFailure) {
    guard let folder = opendir(path) else { throw failure(path) }
    closedir(folder)
  }

  /// - Returns: `nil`, with `errno` set, if reading failed.
  private static func readAll(_ descriptor: CInt, _ isWanted: ([UInt8]) -> Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    let chunkSize = 1 << 20
    while true {
      var count = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, initialized in
        count = read(descriptor, buffer.baseAddress, buffer.count)
        initialized = max(0, count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return nil }
      let isFirst = bytes.isEmpty
      bytes += chunk
      guard count > 0, !isFirst || isWanted(bytes) else { return bytes }
    }
  }

  private static func failure(_ path: String) -> ToolFailure {
    ToolFailure("cannot read \(path): \(SystemError(code: errno))")
  }
}
