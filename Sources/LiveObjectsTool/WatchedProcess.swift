import LiveObjectsCapture
import LiveObjectsSystem

/// A running program that answers requests: it was started with the preload library and `snapshots=on`, or calls
/// `LiveObjects.answerRequests()`.
struct WatchedProcess {
  enum Request: String {
    /// All live objects count as growth.
    case snapshot = "snapshot start"
    /// Counts objects that were allocated since the last snapshot.
    case snapshotSinceLast = "snapshot last"
    /// The number of live objects of each type.
    case counts
    /// A snapshot after which the last snapshot is still the one before.
    case memory
  }

  /// Others may wait for the program too, and a snapshot of a large heap takes seconds.
  private static let patience = Duration.seconds(120)

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
  /// - Throws: a sentence that names the process and says what to do, if it does not answer, if another process may
  ///   answer in its place, or if it sends more than a capture of it can have. An answer that ends too early is a
  ///   capture that says so, but not if it has not begun.
  func ask(_ request: Request, _ receive: ([UInt8]) throws(SystemError) -> Void) throws(ToolFailure) {
    let socket = try connection()
    defer { socket.close() }
    var answer = Answer(of: id)
    var rest = Array((request.rawValue + "\n").utf8)[...]
    var part: [UInt8] = []
    while case .progress = socket.exchange(&rest, &part, timeout: Self.patience) {
      try answer.add(part)
      do throws(SystemError) {
        try receive(part)
      } catch {
        throw ToolFailure(
          "the answer of process \(id) cannot be stored in \(Environment.temporaryFolder) (TMPDIR): \(error)")
      }
      part.removeAll(keepingCapacity: true)
    }
    if answer.isEmpty { throw noAnswer(SystemError(code: ECONNREFUSED)) }
  }

  /// The capture that answers a request.
  func capture(_ request: Request) throws(ToolFailure) -> Capture {
    var bytes: [UInt8] = []
    try ask(request) { (part) throws(SystemError) in bytes += part }
    do {
      return try Capture(decoding: bytes)
    } catch {
      throw ToolFailure("the answer of process \(id) cannot be read: \(error)")
    }
  }

  // MARK: - The socket

  private func noAnswer(_ error: SystemError) -> ToolFailure {
    ToolFailure(
      "process \(id) does not answer: \(error). It must run with the preload library and with snapshots=on in "
        + "LIVEOBJECTS_OPTIONS, and be yours.")
  }

  /// The folder is in /tmp, where anybody can make one of its name before the process does.
  private func connection() throws(ToolFailure) -> Socket {
    var status = stat()
    guard stat("/proc/\(id)", &status) == 0 else { throw ToolFailure("there is no process \(id)") }
    let owner = status.st_uid
    let folder = "/tmp/liveobjects-\(owner)"  // as in service/listener.c
    guard lstat(folder, &status) != 0 || Self.isClosed(status, to: owner) else {
      throw ToolFailure(
        "process \(id) is not asked: \(folder) is no folder that only user \(owner) can use, so another one may answer"
      )
    }
    do throws(SystemError) {
      let socket = try Socket.connected(to: "\(folder)/\(id).socket")
      if let peer = socket.peer, peer.process == id, peer.user == owner { return socket }
      socket.close()
    } catch {
      throw noAnswer(error)
    }
    throw ToolFailure("process \(id) is not asked: another process has its socket in \(folder)")
  }

  private static func isClosed(_ folder: stat, to owner: uid_t) -> Bool {
    folder.st_mode & S_IFMT == S_IFDIR && folder.st_uid == owner && folder.st_mode & 0o777 == 0o700
  }
}

/// What is known of the answer of a process while it is received. The process may send anything, without an end.
struct Answer {
  private let process: Int32
  private let limit: Int
  private var start: [UInt8] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  init(of process: Int32) { self.init(of: process, limit: Self.mostBytes(of: process)) }

  init(of process: Int32, limit: Int) { (self.process, self.limit) = (process, limit) }

  /// - Throws: if it is no capture of the process, or too large.
  mutating func add(_ part: [UInt8]) throws(ToolFailure) {
    count += part.count
    let hadStart = start.count == CaptureStart.size
    start += part.prefix(CaptureStart.size - start.count)
    if !hadStart && start.count == CaptureStart.size && CaptureStart.process(of: start) != process {
      throw ToolFailure("process \(process) does not answer with a capture of its own")
    }
    guard count <= limit else {
      throw ToolFailure(
        "the answer of process \(process) has more than \(limit >> 20) MB, the most that its memory allows: "
          + "it was not received")
    }
  }

  /// An object takes 32 bytes, its records in a capture some 100, a reference 8 and 20.
  private static func mostBytes(of process: Int32) -> Int {
    let (least, times) = (256 << 20, 8)
    return least + times * memory(of: process)
  }

  /// The bytes that the process has in memory and in swap; 0 where the system does not say.
  private static func memory(of process: Int32) -> Int {
    let text = String(decoding: contents(ofSystemFile: "/proc/\(process)/status"), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("VmRSS:") || $0.hasPrefix("VmSwap:") }
    return lines.compactMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } }
      .reduce(0) { $0 + $1 << 10 }
  }
}

/// A capture of a running program, in a file without a name: it is received as fast as the program sends it, and the
/// program is free again before the analysis begins.
struct ReceivedSnapshot {
  private let file: TemporaryFile

  /// Where the capture can be read, as long as this value lives.
  var path: String { "/proc/self/fd/\(file.descriptor)" }

  /// Asks the program.
  ///
  /// - Parameter isSinceLast: whether only what was allocated since the last snapshot counts as growth.
  init(of process: WatchedProcess, sinceLast isSinceLast: Bool) throws(ToolFailure) {
    do throws(SystemError) {
      file = try TemporaryFile()
    } catch {
      throw ToolFailure("cannot make a temporary file in \(Environment.temporaryFolder) (TMPDIR): \(error)")
    }
    let descriptor = file.descriptor
    try process.ask(isSinceLast ? .snapshotSinceLast : .snapshot) { (part) throws(SystemError) in
      guard writeAll(part, to: descriptor) else { throw SystemError(code: errno) }
    }
  }
}
