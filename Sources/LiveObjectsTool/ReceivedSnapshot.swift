import LiveObjectsSystem

/// A capture of a running program, in a file without a name: it is received as fast as the program sends it, and the
/// program is free again before the analysis begins.
final class ReceivedSnapshot {
  private let file: CInt

  /// Where the capture can be read.
  var path: String { "/proc/self/fd/\(file)" }

  /// Asks the program.
  ///
  /// - Parameter isSinceLast: whether only what was allocated since the last snapshot counts as growth.
  /// - Throws: a sentence that names the process and says what to do, if it does not answer.
  init(of process: Int32, sinceLast isSinceLast: Bool) throws(ToolFailure) {
    let socket = try Self.socket(of: process)
    file = try Self.makeFile()
    var count = 0
    do throws(SystemError) {
      let connection = try UnixConnection(to: socket)
      try connection.send(Array("snapshot \(isSinceLast ? "last" : "start")\n".utf8))
      count = try connection.receive(into: file)
    } catch {
      throw ToolFailure(
        "process \(process) does not answer: \(error). It must run with the preload library and with snapshots=on in "
          + "LIVEOBJECTS_OPTIONS, and be yours.")
    }
    guard count > 0 else { throw ToolFailure("process \(process) ended, or sent no snapshot") }
  }

  deinit { close(file) }

  /// The path that the preload library computes (output/listener.c).
  private static func socket(of process: Int32) throws(ToolFailure) -> String {
    var status = stat()
    guard stat("/proc/\(process)", &status) == 0 else { throw ToolFailure("there is no process \(process)") }
    return "/tmp/liveobjects-\(status.st_uid)/\(process).socket"
  }

  private static func makeFile() throws(ToolFailure) -> CInt {
    let folder = Environment.temporaryFolder
    var path = Array("\(folder)/liveobjects-XXXXXX".utf8CString)
    let file = mkstemp(&path)
    guard file >= 0 else {
      throw ToolFailure("cannot make a temporary file in \(folder) (TMPDIR): \(SystemError(code: errno))")
    }
    unlink(path)
    return file
  }
}
