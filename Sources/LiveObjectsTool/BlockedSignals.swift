#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The signals that request this tool's end, and those about its children, blocked until they are waited for.
/// A closed output is an error, and does not kill the tool either: it has a folder to remove.
struct BlockedSignals {
  private static let requests = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

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
    var blocked = Self.set([SIGCHLD] + Self.requests)
    sigprocmask(SIG_BLOCK, &blocked, &mask)
  }

  /// Waits for the next signal.
  ///
  /// - Returns: its number, and whether a process has sent it to this one: a terminal sends it to all that
  ///   run in front of it.
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

  /// Restores the actions of signals, also for those that have arrived meanwhile.
  func restore() {
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
