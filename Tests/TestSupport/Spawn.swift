import Foundation

/// Starts a program as the leader of a new process group.
///
/// - Parameter streams: the files for standard input, output and error, in this order.
func spawn(
  _ executable: String, _ arguments: [String], environment: [String: String], streams: [String]
) throws -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (descriptor, path) in streams.enumerated() {
    let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
    posix_spawn_file_actions_addopen(&actions, Int32(descriptor), path, flags, 0o600)
  }
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // A test often runs on a thread that blocks all signals; a program would inherit that.
  var noSignals = sigset_t()
  sigemptyset(&noSignals)
  posix_spawnattr_setsigmask(&attributes, &noSignals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

  let variables = environment.map { "\($0.key)=\($0.value)" }
  var child: pid_t = 0
  let error = withCStrings([executable] + arguments) { arguments in
    withCStrings(variables) { variables in
      posix_spawn(&child, executable, &actions, &attributes, arguments, variables)
    }
  }
  guard error == 0 else { throw CannotRun(executable: executable, error: error) }
  return child
}

struct CannotRun: Error, CustomStringConvertible {
  var executable: String
  var error: Int32
  var description: String { "cannot run \(executable): \(String(cString: strerror(error)))" }
}

private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let pointers = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return body(pointers + [nil])
}
