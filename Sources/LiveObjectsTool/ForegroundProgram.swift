import LiveObjectsSystem

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

/// The signals that request this tool's end, those that are its program's, and those about its children, blocked until
/// they are waited for. A closed output is an error, and does not kill the tool either: it has a folder to remove.
struct BlockedSignals {
  static let requests = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
  /// Servers take them to reopen a log or to restart, for instance.
  private static let others = [SIGUSR1, SIGUSR2, SIGWINCH]
  private static var awaited: sigset_t { Self.set([SIGCHLD] + requests + others) }

  /// The mask and actions that this tool was started with, and that its program gets.
  private var mask = sigset_t()
  private var childAction = sigaction()
  private var pipeAction = sigaction()

  init() {
    sigaction(SIGCHLD, nil, &childAction)
    sigaction(SIGPIPE, nil, &pipeAction)
    // A process that ignores it loses the status of its children.
    signal(SIGCHLD, SIG_DFL)
    signal(SIGPIPE, SIG_IGN)
    var blocked = Self.awaited
    sigprocmask(SIG_BLOCK, &blocked, &mask)
  }

  /// Waits for the next signal.
  ///
  /// - Returns: its number, and whether a process has sent it to this one: a terminal sends it to all that
  ///   run in front of it.
  func wait() -> (number: CInt, isSent: Bool) {
    var awaited = Self.awaited
    #if canImport(Glibc)
      var information = siginfo_t()
      var number: CInt
      repeat { number = sigwaitinfo(&awaited, &information) } while number < 0
      return (number, information.si_code <= 0)
    #else
      var number: CInt = 0
      sigwait(&awaited, &number)
      return (number, number == SIGTERM || number == SIGHUP)
    #endif
  }

  /// Unblocks requests to end: from now on this tool tidies up, and ends by that signal.
  ///
  /// On a thread of its own, since nothing interrupts what takes long, such as reading captures. So no
  /// program may be started from here on.
  func endWhenRequested(_ tidyUp: @escaping @Sendable () -> Void) {
    #if canImport(Glibc)
      var thread = pthread_t()
      let ending = Unmanaged.passRetained(RequestedEnd(tidyUp)).toOpaque()
      let error = pthread_create(&thread, nil, { RequestedEnd.main($0) }, ending)
      if error == 0 { pthread_detach(thread) }
    #endif
  }

  /// The requests that this tool does not ignore, as it does under `nohup`.
  fileprivate static var handledRequests: [CInt] { requests.filter { !isIgnored($0) } }

  private static func isIgnored(_ signal: CInt) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Restores the actions of signals, also for requests that have arrived meanwhile. What came for the program after its
  /// end is dropped.
  func restore() {
    #if canImport(Glibc)
      var (others, now) = (Self.set(Self.others), timespec())
      while sigtimedwait(&others, nil, &now) > 0 {}
    #endif
    var (mask, childAction, pipeAction) = (mask, childAction, pipeAction)
    sigaction(SIGCHLD, &childAction, nil)
    sigaction(SIGPIPE, &pipeAction, nil)
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  fileprivate static func set(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}

#if canImport(Glibc)
  /// Waits for a request to end.
  private final class RequestedEnd: Sendable {
    private let tidyUp: @Sendable () -> Void

    init(_ tidyUp: @escaping @Sendable () -> Void) { self.tidyUp = tidyUp }

    static func main(_ ending: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      var awaited = BlockedSignals.set(BlockedSignals.handledRequests)
      var number: CInt = 0
      guard let ending, sigwait(&awaited, &number) == 0 else { return nil }
      Unmanaged<RequestedEnd>.fromOpaque(ending).takeRetainedValue().tidyUp()
      signal(number, SIG_DFL)
      var request = BlockedSignals.set([number])
      pthread_sigmask(SIG_UNBLOCK, &request, nil)
      raise(number)
      return nil
    }
  }
#endif

/// Programs by their names.
enum ProgramSearch {
  /// The file that a shell would run; the name itself if there is none.
  static func path(of program: String) -> String {
    guard !program.contains("/") else { return program }
    let folders = (Environment["PATH"] ?? "/bin:/usr/bin")
      .split(separator: ":", omittingEmptySubsequences: false)
    return folders.map { $0.isEmpty ? "./\(program)" : "\($0)/\(program)" }.first(where: isProgram) ?? program
  }

  private static func isProgram(_ path: String) -> Bool {
    let path = CStringArray([path])
    var status = stat()
    return withExtendedLifetime(path) {
      stat(path.pointers[0]!, &status) == 0 && status.isRegularFile && access(path.pointers[0]!, X_OK) == 0
    }
  }
}
