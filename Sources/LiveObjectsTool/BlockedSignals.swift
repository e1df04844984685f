#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The signals that ask this tool to end, and those that tell of its children: held back until they are waited for.
struct BlockedSignals {
  private static let requests = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

  /// The mask that there was before.
  let original: sigset_t

  init() {
    // Somebody who ignores it would lose the status of children.
    signal(SIGCHLD, SIG_DFL)
    var blocked = Self.set([SIGCHLD] + Self.requests)
    var original = sigset_t()
    sigprocmask(SIG_BLOCK, &blocked, &original)
    self.original = original
  }

  /// Waits for the next signal.
  func wait() -> CInt {
    var awaited = Self.set([SIGCHLD] + Self.requests)
    var signal: CInt = 0
    sigwait(&awaited, &signal)
    return signal
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
    var mask = original
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  private static func set(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
