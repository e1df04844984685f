import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name, for what one process hands to another.
///
/// Unlike a pipe it never fills up, never breaks, and never kills its writer.
final class TemporaryFile {
  let descriptor: CInt

  init() throws(SystemError) {
    var path = Array((Environment.temporaryFolder + "/liveobjects-XXXXXX").utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else { throw SystemError(code: errno) }
    unlink(path)
    descriptor = try movingAboveStandardStreams(file)
  }

  deinit { close(descriptor) }

  /// All that the file holds.
  func contents() -> [UInt8] {
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
