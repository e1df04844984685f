import LiveObjectsCapture
import LiveObjectsSystem

/// A running program that answers requests: it was started with the preload library and `snapshots=on`, or calls
/// `LiveObjects.answerRequests()`.
struct WatchedProcess {
  enum Request: String {
    /// All live objects count as growth.
    case snapshot = "snapshot start"
    /// Those count that were allocated since the last snapshot.
    case snapshotSinceLast = "snapshot last"
    /// The number of live objects of each type.
    case counts
  }

  /// Many may wait for a program, and a snapshot of a large heap takes seconds.
  private static let patience = Duration.seconds(600)

  let id: Int32

  /// Whether the process runs no longer, or ends in that time. One that has ended stays until its parent has noticed.
  func ends(within time: Duration) -> Bool {
    let deadline = ContinuousClock.now + time
    while isRunning {
      if ContinuousClock.now > deadline { return false }
      usleep(50_000)
    }
    return true
  }

  /// A process that has ended has no program any more.
  private var isRunning: Bool {
    var byte: CChar = 0
    return readlink("/proc/\(id)/exe", &byte, 1) >= 0 || errno == EACCES
  }

  /// Sends a request, and passes on the bytes of the answer as they come.
  ///
  /// - Throws: a sentence that names the process and says what to do, if it does not answer. An answer that ends too
  ///   early is a capture that says so, but not if it has not begun.
  func ask(_ request: Request, _ receive: ([UInt8]) throws(SystemError) -> Void) throws(ToolFailure) {
    let path = try socket()
    do throws(SystemError) {
      let socket = try Socket.connected(to: path)
      defer { socket.close() }
      var rest = Array((request.rawValue + "\n").utf8)[...]
      var part: [UInt8] = []
      var isEmpty = true
      while case .progress = socket.exchange(&rest, &part, timeout: Self.patience) {
        isEmpty = isEmpty && part.isEmpty
        try receive(part)
        part.removeAll(keepingCapacity: true)
      }
      if isEmpty { throw SystemError(code: ECONNREFUSED) }
    } catch {
      throw ToolFailure(
        "process \(id) does not answer: \(error). It must run with the preload library and with snapshots=on in "
          + "LIVEOBJECTS_OPTIONS, and be yours.")
    }
  }

  /// The number of live objects of each type.
  func counts() throws(ToolFailure) -> Capture {
    var bytes: [UInt8] = []
    try ask(.counts) { (part) throws(SystemError) in bytes += part }
    do {
      return try Capture(decoding: bytes)
    } catch {
      throw ToolFailure("the answer of process \(id) cannot be read: \(error)")
    }
  }

  /// The path that the recorder computes (service/listener.c).
  private func socket() throws(ToolFailure) -> String {
    var status = stat()
    guard stat("/proc/\(id)", &status) == 0 else { throw ToolFailure("there is no process \(id)") }
    return "/tmp/liveobjects-\(status.st_uid)/\(id).socket"
  }
}
