#if os(Linux)
  internal import CSpawn
#endif
/// A connection to a program that reads questions from its standard input and answers on its standard output,
/// for as long as this object lives.
///
/// The host may close all descriptors, get their numbers for its own files, and fork. So nothing is written
/// unless the number still stands for this socket, and nothing in a child.
package final class HelperConnection {
  package enum Failure: Error {
    /// The program ended, or the host closed the socket.
    case ended(ChildProcess.Ending)
    /// It did not answer in time, and has been killed.
    case hung
    /// Its answer did not end, and it has been killed.
    case endless
  }

  /// More than answers have, so that a program that prints without end does not fill the memory.
  private static let byteLimit = 1 << 26
  private static let byteLimitPerAnswer = 1 << 12

  private let program: HelperProcess
  let socket: Socket
  private let owner = getpid()
  private var isOver = false

  /// Starts a program; its standard error is thrown away.
  package init(with path: String, arguments: [String], environment: [String]) throws(SystemError) {
    let (own, its) = try Socket.pair()
    defer { its.close() }
    do throws(SystemError) {
      program = try HelperProcess(
        path: path, arguments: arguments, environment: environment, stream: its.descriptor)
    } catch {
      own.close()
      throw error
    }
    socket = own
  }

  deinit {
    if !isOver { _ = end(after: .zero) }
  }

  /// False in a child that the process has forked: the program answers its parent.
  package var isOwn: Bool { owner == getpid() }

  /// Asks, and waits for the answers, each of which ends with an empty line.
  ///
  /// - Parameters:
  ///   - questions: one a line.
  ///   - timeout: the time after which a program without an answer is killed.
  /// - Returns: the bytes up to the last answer, and those received with it.
  package func ask(_ questions: [String], timeout: Duration) throws(Failure) -> [UInt8] {
    var rest = Array(questions.joined(separator: "\n").utf8 + [newline])[...]
    var answers: [UInt8] = []
    var missing = questions.count
    let byteLimit = max(Self.byteLimit, questions.count * Self.byteLimitPerAnswer)
    while missing > 0 {
      guard answers.count < byteLimit else {
        _ = end(after: .zero)
        throw .endless
      }
      switch socket.exchange(&rest, &answers, timeout: timeout) {
      case .progress(let count): missing -= Self.emptyLines(in: answers, last: count)
      case .timedOut:
        _ = end(after: .zero)
        throw .hung
      case .end: throw .ended(end(after: .milliseconds(200)))
      }
    }
    return answers
  }

  /// - Parameter last: the number of bytes to examine.
  private static func emptyLines(in bytes: [UInt8], last: Int) -> Int {
    (bytes.count - last..<bytes.count).count { index in
      bytes[index] == newline && (index == 0 || bytes[index - 1] == newline)
    }
  }

  private func end(after timeout: Duration) -> ChildProcess.Ending {
    isOver = true
    socket.close()
    return program.end(after: timeout)
  }
}

private let newline = UInt8(ascii: "\n")

/// A program that runs as long as this process needs it, and ends with it.
///
/// The caller may be any test process: the program is not one of its children where the system can hide it.
struct HelperProcess {
  private enum Identity {
    #if os(Linux)
      case hidden(OpaquePointer)
    #endif
    case child(ChildProcess)
  }

  private let identity: Identity

  /// Starts a program. Its standard error is thrown away.
  ///
  /// - Parameter stream: a descriptor of this process, from 3 on: the program's standard input and output.
  init(path: String, arguments: [String], environment: [String], stream: CInt) throws(SystemError) {
    #if os(Linux)
      if let hidden = try Self.hidden(path, arguments, environment, stream) {
        identity = .hidden(hidden)
        return
      }
    #endif
    let null = try movingAboveStandardStreams(open("/dev/null", O_WRONLY | O_CLOEXEC))
    defer { close(null) }
    identity = .child(
      try ChildProcess(
        program: path, arguments: arguments, environment: environment,
        streams: [0: stream, 1: stream, 2: null]))
  }

  #if os(Linux)
    /// - Returns: `nil` where the system cannot hide it.
    private static func hidden(
      _ path: String, _ arguments: [String], _ environment: [String], _ stream: CInt
    ) throws(SystemError) -> OpaquePointer? {
      let arguments = CStringArray([path] + arguments)
      let environment = CStringArray(environment)
      var error: CInt = 0
      let process = withExtendedLifetime((arguments, environment)) {
        path.withCString { path in
          arguments.pointers.withUnsafeBufferPointer { arguments in
            environment.pointers.withUnsafeBufferPointer { environment in
              var spawn = liveobj_spawn(
                path: path, arguments: arguments.baseAddress, environment: environment.baseAddress,
                input: stream, output: stream, errors: -1, seconds: 0)
              return liveobj_spawn_start(&spawn, &error)
            }
          }
        }
      }
      if process == nil && error != ENOSYS { throw SystemError(code: error) }
      return process
    }
  #endif

  /// Kills the program, unless it ends by itself before. Call it once.
  func end(after timeout: Duration) -> ChildProcess.Ending {
    switch identity {
    #if os(Linux)
      case .hidden(let process):
        let result = liveobj_spawn_end(process, CInt(timeout / .milliseconds(1)))
        return result.error == 0 && result.status >= 0 ? .init(waitStatus: result.status) : .unknown
    #endif
    case .child(let child):
      return child.wait(until: .now + timeout)
    }
  }
}
