import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program to watch: started with the preload library, and waited for.
struct WatchedProgram {
  private let command: [String]
  private let environment: [String]

  /// - Parameter options: added to those of the environment, and weaker than what `folder` needs.
  init(command: [String], preloading library: String, options: String?, capturesTo folder: CaptureFolder) {
    self.command = command
    let preload = [library, Environment["LD_PRELOAD"]]
    let allOptions = [Environment["LIVEOBJECTS_OPTIONS"], options, folder.options]
    environment =
      Environment.variables(without: ["LD_PRELOAD", "LIVEOBJECTS_OPTIONS"]) + [
        "LD_PRELOAD=" + Self.joined(preload), "LIVEOBJECTS_OPTIONS=" + Self.joined(allOptions),
      ]
  }

  /// Runs the program to its end.
  ///
  /// Signals are waited for, not handled: the program starts with the signal mask and the dispositions that this
  /// tool was started with.
  func run() throws(ToolFailure) -> ChildProcess.Ending {
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for signal in [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP] { sigaddset(&awaited, signal) }
    var original = sigset_t()
    // Somebody who ignores it would lose the program's status.
    signal(SIGCHLD, SIG_DFL)
    sigprocmask(SIG_BLOCK, &awaited, &original)
    defer { sigprocmask(SIG_SETMASK, &original, nil) }
    let child = try start(signalMask: original)
    while true {
      var signal: CInt = 0
      sigwait(&awaited, &signal)
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

  /// Both variables are lists with colons.
  private static func joined(_ parts: [String?]) -> String {
    parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ":")
  }
}
