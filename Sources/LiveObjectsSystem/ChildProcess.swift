// Files that import this module need no import of the C library. `environ` is a mutable global to Swift; reading it is
// as safe as any `getenv`.
#if canImport(Glibc)
  @_exported @preconcurrency import Glibc
#elseif canImport(Darwin)
  @_exported @preconcurrency import Darwin
#endif

/// A program that this process started.
///
/// Arguments are without the program's own name, and an environment is all of it, as `NAME=value`. The caller may be
/// any test process, so this code changes no signal handler and creates no descriptor
/// that others inherit, and another `wait` in the process may take the status first.
package struct ChildProcess {
  /// The end of a process.
  package enum Ending: Hashable, Sendable {
    case exited(CInt)
    case signaled(CInt)
    /// Other code took the status.
    case unknown
  }

  package let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, or a name to search for in `PATH`.
  ///   - streams: descriptors of this process, from 3 on, by the number they have in the child; others
  ///     that are not close-on-exec are inherited.
  /// - Throws: the reason why it could not be started.
  package init(
    program: String, arguments: [String], environment: [String], streams: [CInt: CInt] = [:]
  ) throws(SystemError) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in streams {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    let arguments = CStringArray([program] + arguments)
    let environment = CStringArray(environment)
    var id: pid_t = 0
    let error = withExtendedLifetime((arguments, environment)) {
      posix_spawnp(&id, program, &actions, nil, arguments.pointers, environment.pointers)
    }
    guard error == 0 else { throw SystemError(code: error) }
    self.id = id
  }

  /// A child of this process that runs already.
  package init(id: pid_t) { self.id = id }

  /// Becomes another program: the process id, the signal mask and the dispositions stay.
  ///
  /// - Parameter name: the name that the program gets as its first argument; `nil` for the path.
  /// - Returns: the reason why the program could not be started; otherwise it does not return.
  package static func become(
    program: String, as name: String? = nil, arguments: [String], environment: [String]
  ) -> SystemError {
    let path = CStringArray([program])
    let script = CStringArray(["sh", program] + arguments)
    let arguments = CStringArray([name ?? program] + arguments)
    let environment = CStringArray(environment)
    return withExtendedLifetime((path, script, arguments, environment)) {
      execve(path.pointers[0]!, arguments.pointers, environment.pointers)
      // A script without `#!` is the shell's, as for `execvp`.
      if errno == ENOEXEC { execve("/bin/sh", script.pointers, environment.pointers) }
      return SystemError(code: errno)
    }
  }

  /// The end of the child, or `nil` if it is still running.
  package func endingIfEnded() -> Ending? { wait(options: WNOHANG) }

  /// Waits for the end, and kills the child at the deadline.
  package func wait(until deadline: ContinuousClock.Instant) -> Ending {
    // Polling, because no blocking wait can be bounded without changing signals of the host.
    while ContinuousClock.now < deadline {
      if let ending = endingIfEnded() { return ending }
      usleep(500)
    }
    kill(id, SIGKILL)
    return wait(options: 0) ?? .unknown
  }

  private func wait(options: CInt) -> Ending? {
    var status: CInt = 0
    while true {
      switch waitpid(id, &status, options) {
      case 0: return nil
      case id: return Ending(waitStatus: status)
      default: if errno != EINTR { return .unknown }
      }
    }
  }
}

extension ChildProcess.Ending: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let status): "status \(status)"
    case .signaled(let signal): "signal \(signal)"
    case .unknown: "an unknown status"
    }
  }

  /// - Parameter status: as `waitpid` gives it.
  package init(waitStatus status: CInt) {
    let signal = status & 0x7f
    self = signal == 0 ? .exited((status >> 8) & 0xff) : .signaled(signal)
  }
}

/// Swift hides it, since a child has one thread of its parent's and all of its locks: the child must wait for none.
@_silgen_name("fork") package func forkProcess() -> pid_t

/// An `errno` value, as a human-readable error.
package struct SystemError: Error, CustomStringConvertible {
  package let code: CInt
  package init(code: CInt) { self.code = code }
  package var description: String { String(cString: strerror(code)) }
}

/// Strings for C, which live as long as this object does. What is no UTF-8 is kept (`String.rawBytes`).
package final class CStringArray {
  package let pointers: [UnsafeMutablePointer<CChar>?]

  package init(_ strings: [String]) { pointers = strings.map(Self.copy) + [nil] }
  deinit { for pointer in pointers { free(pointer) } }

  private static func copy(_ string: String) -> UnsafeMutablePointer<CChar>? {
    // `CChar` is signed or not, as the platform has it.
    (string.rawBytes + [0]).withUnsafeBytes { strdup($0.bindMemory(to: CChar.self).baseAddress!) }
  }
}

/// The environment of this process.
package enum Environment {
  /// Every variable, as `NAME=value`, with the bytes that are no UTF-8 (`String.rawBytes`).
  package static var variables: [String] {
    #if canImport(Darwin)
      var entry = _NSGetEnviron().pointee
    #else
      var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    #endif
    var variables: [String] = []
    while let variable = entry.pointee {
      variables.append(String(rawCString: variable))
      entry += 1
    }
    return variables
  }

  /// Every variable but those named.
  package static func variables(without names: [String]) -> [String] {
    variables.filter { variable in !names.contains { variable.hasPrefix($0 + "=") } }
  }

  /// The folder in `TMPDIR`; `/tmp` if it is empty.
  package static var temporaryFolder: String {
    Self["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  package static subscript(name: String) -> String? {
    getenv(name).map { String(rawCString: $0) }
  }
}
