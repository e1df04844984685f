import LiveObjectsReport
import LiveObjectsSymbolication

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that takes this tool's place in front of the user until it ends.
struct ForegroundProgram {
  var command: [String]
  /// All of it, as `NAME=value`.
  var environment: [String]

  /// Runs the program to its end.
  ///
  /// Signals are waited for, not handled: the program starts with the signal mask and the dispositions that
  /// this tool was started with.
  func run(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    let child = try start(signals)
    while true {
      let (signal, isSent) = signals.wait()
      if let ending = child.endingIfEnded() { return ending }
      // Signals from a terminal reach the program without this tool.
      if isSent && signal != SIGCHLD { kill(child.id, signal) }
    }
  }

  /// Starts the program with `fork`, since `posix_spawn` cannot have a child ignore what this process does
  /// not.
  private func start(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure(errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let id = forkProcess()
    if id == 0 { become(signals, reportingTo: ends[1]) }
    let forkError = errno
    close(ends[1])
    defer { close(ends[0]) }
    guard id > 0 else { throw failure(forkError) }
    var error: CInt = 0
    guard read(ends[0], &error, MemoryLayout<CInt>.size) == 0 else {
      waitpid(id, nil, 0)
      throw failure(error)
    }
    return ChildProcess(id: id)
  }

  /// Becomes the program, in the child. The pipe closes without data if it succeeds.
  private func become(_ signals: BlockedSignals, reportingTo pipe: CInt) -> Never {
    signals.restore()
    var error = ChildProcess.become(
      program: ProgramSearch.path(of: command[0]), as: command[0], arguments: Array(command.dropFirst()),
      environment: environment
    ).code
    write(pipe, &error, MemoryLayout<CInt>.size)
    _exit(127)
  }

  private func failure(_ error: CInt) -> ToolFailure {
    ToolFailure("cannot start \(command[0]): \(SystemError(code: error))")
  }
}

/// Swift hides it, for little may be done in the child of a process with threads. This tool has one.
@_silgen_name("fork") private func forkProcess() -> pid_t
