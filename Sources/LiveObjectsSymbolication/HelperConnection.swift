#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to a program that reads questions from its standard input and answers on its standard output,
/// for as long as this object lives.
///
/// The host may close all descriptors, get their numbers for its own files, and fork. So nothing is written
/// unless the number still stands for this socket, and nothing in a child.
final class HelperConnection {
  enum Failure: Error {
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
  ///
  /// - Parameters:
  ///   - path: the path of the program.
  ///   - arguments: without the program's own name.
  ///   - environment: all of it, as `NAME=value`.
  init(with path: String, arguments: [String], environment: [String]) throws(SystemError) {
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
  var isOwn: Bool { owner == getpid() }

  /// Asks, and waits for the answers, each of which ends with an empty line.
  ///
  /// - Parameters:
  ///   - questions: one a line.
  ///   - timeout: the time after which a program without an answer is killed.
  /// - Returns: the bytes up to the last answer, and those received with it.
  func ask(_ questions: [String], timeout: Duration) throws(Failure) -> [UInt8] {
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
