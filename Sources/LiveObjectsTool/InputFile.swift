import LiveObjectsReport
import LiveObjectsSymbolication

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
