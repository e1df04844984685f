#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name, for what one process hands to another.
///
/// Unlike a pipe it never fills up, never breaks, and never kills its writer.
package final class TemporaryFile {
  package let descriptor: CInt

  package init() throws(SystemError) {
    var path = Array(((Environment["TMPDIR"] ?? "/tmp") + "/liveobjects-XXXXXX").utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { throw SystemError(code: errno) }
    unlink(path)
    descriptor = try movingAboveStandardStreams(file)
  }

  deinit { close(descriptor) }

  /// Writes the text to the file's beginning, and leaves the read position there.
  func write(_ text: String) throws(SystemError) {
    var position: off_t = 0
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, position) }
      guard count > 0 else { throw SystemError(code: errno) }
      bytes = bytes.dropFirst(count)
      position += off_t(count)
    }
  }

  /// All that the file holds.
  package func contents() -> [UInt8] {
    let size = max(0, lseek(descriptor, 0, SEEK_END))
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      while count < buffer.count {
        let read = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
        guard read > 0 else { return }
        count += read
      }
    }
  }
}

/// The same open file under a number that no standard stream of a child has, and that no other child
/// inherits. A host may have closed its own standard streams, and got their numbers for this file.
func movingAboveStandardStreams(_ descriptor: CInt) throws(SystemError) -> CInt {
  let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
  let error = errno
  close(descriptor)
  guard moved >= 0 else { throw SystemError(code: error) }
  return moved
}
