import LiveObjectsSystem

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
    readBytes(of: descriptor, count: max(0, Int(lseek(descriptor, 0, SEEK_END)))) ?? []
  }
}
