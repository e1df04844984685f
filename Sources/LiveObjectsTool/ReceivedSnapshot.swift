import LiveObjectsSystem

/// A capture of a running program, in a file without a name: it is received as fast as the program sends it, and the
/// program is free again before the analysis begins.
struct ReceivedSnapshot {
  /// Many may wait for a program, and a snapshot of a large heap takes seconds.
  private static let patience = Duration.seconds(600)

  private let file: TemporaryFile

  /// Where the capture can be read, as long as this value lives.
  var path: String { "/proc/self/fd/\(file.descriptor)" }

  /// Asks the program.
  ///
  /// - Parameter isSinceLast: whether only what was allocated since the last snapshot counts as growth.
  /// - Throws: a sentence that names the process and says what to do, if it does not answer.
  init(of process: Int32, sinceLast isSinceLast: Bool) throws(ToolFailure) {
    let path = try Self.socket(of: process)
    do throws(SystemError) {
      file = try TemporaryFile()
    } catch {
      throw ToolFailure("cannot make a temporary file in \(Environment.temporaryFolder) (TMPDIR): \(error)")
    }
    let request = "snapshot \(isSinceLast ? "last" : "start")\n"
    do throws(SystemError) {
      let socket = try Socket.connected(to: path)
      defer { socket.close() }
      try Self.copy(theAnswerTo: request, from: socket, to: file.descriptor)
    } catch {
      throw ToolFailure(
        "process \(process) does not answer: \(error). It must run with the preload library and with snapshots=on in "
          + "LIVEOBJECTS_OPTIONS, and be yours.")
    }
  }

  /// The path that the preload library computes (output/listener.c).
  private static func socket(of process: Int32) throws(ToolFailure) -> String {
    var status = stat()
    guard stat("/proc/\(process)", &status) == 0 else { throw ToolFailure("there is no process \(process)") }
    return "/tmp/liveobjects-\(status.st_uid)/\(process).socket"
  }

  /// An answer that ends too early is a capture that says so, but not if it has not begun.
  private static func copy(
    theAnswerTo request: String, from socket: Socket, to file: CInt
  ) throws(SystemError) {
    var rest = Array(request.utf8)[...]
    var part: [UInt8] = []
    var isEmpty = true
    while case .progress = socket.exchange(&rest, &part, timeout: patience) {
      isEmpty = isEmpty && part.isEmpty
      guard writeAll(part, to: file) else { throw SystemError(code: errno) }
      part.removeAll(keepingCapacity: true)
    }
    if isEmpty { throw SystemError(code: ECONNREFUSED) }
  }
}
