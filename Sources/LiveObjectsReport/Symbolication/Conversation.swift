#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that is asked over its standard input and answers on its standard output, for as long as this
/// object lives.
///
/// The host may do to its descriptors what it likes: close all of them, get their numbers for its own files, and
/// fork. So nothing is written unless the number still stands for the socket that was made, and nothing in a child.
final class Conversation {
  enum Failure: Error {
    /// The program ended, or the host closed the socket.
    case ended(ChildProcess.Ending)
    /// It did not answer in time. It has been killed.
    case hung
    /// Its answer did not end. It has been killed.
    case endless
  }

  /// More than answers have, so that a program that prints without end does not fill the memory.
  private static let mostBytes = 1 << 26
  private static let mostBytesAnAnswer = 1 << 12

  private let program: HelperProcess
  let socket: Socket
  private let owner = getpid()
  private var isOver = false

  /// Starts a program; its standard error is thrown away.
  ///
  /// - Parameters:
  ///   - path: where it is.
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
  ///   - patience: how long the program may be silent.
  /// - Returns: as much as came with the last answer.
  func ask(_ questions: [String], patience: Duration) throws(Failure) -> [UInt8] {
    var rest = Array(questions.joined(separator: "\n").utf8 + [newline])[...]
    var answers: [UInt8] = []
    var missing = questions.count
    let mostBytes = max(Self.mostBytes, questions.count * Self.mostBytesAnAnswer)
    while missing > 0 {
      guard answers.count < mostBytes else {
        _ = end(after: .zero)
        throw .endless
      }
      switch socket.exchange(&rest, &answers, patience: patience) {
      case .progress(let count): missing -= Self.emptyLines(in: answers, last: count)
      case .silence:
        _ = end(after: .zero)
        throw .hung
      case .end: throw .ended(end(after: .milliseconds(200)))
      }
    }
    return answers
  }

  /// - Parameter last: how many of the bytes to look at.
  private static func emptyLines(in bytes: [UInt8], last: Int) -> Int {
    (bytes.count - last..<bytes.count).count { index in
      bytes[index] == newline && (index == 0 || bytes[index - 1] == newline)
    }
  }

  private func end(after patience: Duration) -> ChildProcess.Ending {
    isOver = true
    socket.close()
    return program.end(after: patience)
  }
}

private let newline = UInt8(ascii: "\n")
