#if os(Linux)
  internal import CSpawn
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that runs beside this process and ends with it.
///
/// The caller may be any test process: the program is not one of its children where the system can hide it.
struct HelperProcess {
  #if os(Linux)
    private enum Identity {
      case hidden(OpaquePointer)
      case child(ChildProcess)
    }
  #else
    private enum Identity {
      case child(ChildProcess)
    }
  #endif

  private let identity: Identity

  /// Starts a program. Its standard error is thrown away.
  ///
  /// - Parameters:
  ///   - path: the path of the program.
  ///   - arguments: without the program's own name.
  ///   - environment: all of it, as `NAME=value`.
  ///   - stream: a descriptor of this process, from 3 on: the program's standard input and output.
  init(path: String, arguments: [String], environment: [String], stream: CInt) throws(SystemError) {
    #if os(Linux)
      if let hidden = try Self.hidden(path, arguments, environment, stream) {
        identity = .hidden(hidden)
        return
      }
    #endif
    let null = try movingAboveStandardStreams(open("/dev/null", O_WRONLY | O_CLOEXEC))
    defer { close(null) }
    identity = .child(
      try ChildProcess(
        program: path, arguments: arguments, environment: environment,
        streams: [0: stream, 1: stream, 2: null]))
  }

  #if os(Linux)
    /// - Returns: `nil` where the system cannot hide it.
    private static func hidden(
      _ path: String, _ arguments: [String], _ environment: [String], _ stream: CInt
    ) throws(SystemError) -> OpaquePointer? {
      let arguments = CStringArray([path] + arguments)
      let environment = CStringArray(environment)
      var error: CInt = 0
      let process = withExtendedLifetime((arguments, environment)) {
        path.withCString { path in
          arguments.pointers.withUnsafeBufferPointer { arguments in
            environment.pointers.withUnsafeBufferPointer { environment in
              var spawn = liveobj_spawn(
                path: path, arguments: arguments.baseAddress, environment: environment.baseAddress,
                input: stream, output: stream, errors: -1, seconds: 0)
              return liveobj_spawn_start(&spawn, &error)
            }
          }
        }
      }
      if process == nil && error != ENOSYS { throw SystemError(code: error) }
      return process
    }
  #endif

  /// Kills the program, unless it ends by itself before. Call it once.
  func end(after timeout: Duration) -> ChildProcess.Ending {
    switch identity {
    #if os(Linux)
      case .hidden(let process):
        let result = liveobj_spawn_end(process, CInt(timeout / .milliseconds(1)))
        return result.error == 0 && result.status >= 0 ? .init(waitStatus: result.status) : .unknown
    #endif
    case .child(let child):
      return child.wait(until: .now + timeout)
    }
  }
}
