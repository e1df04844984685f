#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The signals that ask this tool to end, and those that tell of its children: held back until they are waited for.
/// An output that nobody reads any more is an error, and does not kill it either: it has a folder to remove.
struct BlockedSignals {
  private static let requests = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

  /// What this tool was started with, and what its program is to be started with.
  private var mask = sigset_t()
  private var childAction = sigaction()
  private var pipeAction = sigaction()

  init() {
    sigaction(SIGCHLD, nil, &childAction)
    sigaction(SIGPIPE, nil, &pipeAction)
    // Who ignores it loses the status of children.
    signal(SIGCHLD, SIG_DFL)
    signal(SIGPIPE, SIG_IGN)
    var blocked = Self.set([SIGCHLD] + Self.requests)
    sigprocmask(SIG_BLOCK, &blocked, &mask)
  }

  /// Waits for the next signal.
  ///
  /// - Returns: its number, and whether a process has sent it to this one: a terminal sends it to all that run in
  ///   front of it.
  func wait() -> (number: CInt, isSent: Bool) {
    var awaited = Self.set([SIGCHLD] + Self.requests)
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

  /// Whether somebody has asked this tool to end.
  var areEndRequested: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return Self.requests.contains { sigismember(&pending, $0) == 1 && !Self.isIgnored($0) }
  }

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

  /// From here on signals do what they did before, those that have come meanwhile as well.
  func restore() {
    var (mask, childAction, pipeAction) = (mask, childAction, pipeAction)
    sigaction(SIGCHLD, &childAction, nil)
    sigaction(SIGPIPE, &pipeAction, nil)
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  private static func set(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
