import LiveObjectsReport

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
  /// Signals are waited for, not handled: the program starts with the signal mask and the dispositions that this
  /// tool was started with.
  func run(_ signals: BlockedSignals) throws(ToolFailure) -> ChildProcess.Ending {
    let child = try start(signalMask: signals.original)
    while true {
      let signal = signals.wait()
      if let ending = child.endingIfEnded() { return ending }
      // The terminal sends the other two to the program as well, which knows what they mean to it.
      if signal == SIGTERM || signal == SIGHUP { kill(child.id, signal) }
    }
  }

  private func start(signalMask: sigset_t) throws(ToolFailure) -> ChildProcess {
    do {
      return try ChildProcess(
        program: command[0], arguments: Array(command.dropFirst()), environment: environment,
        signalMask: signalMask)
    } catch {
      throw ToolFailure("cannot start \(command[0]): \(error)")
    }
  }
}
