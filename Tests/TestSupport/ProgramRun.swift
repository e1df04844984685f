import Foundation

/// A program that a test ran, as it ended.
public struct ProgramRun: Sendable {
  public enum Status: Sendable, Hashable {
    case exited(Int32)
    case signaled(Int32)
    /// It was still running when its time was up, and was killed with all it had started.
    case timedOut
  }

  public let status: Status
  public let standardOutput: String
  public let standardError: String
}

/// Runs a program to its end and returns what it wrote and how it ended.
///
/// Output goes through files, so that neither a full pipe nor a grandchild that keeps one open can
/// hang the test. The program leads a process group of its own.
///
/// - Parameters:
///   - executable: the program's path.
///   - arguments: its arguments, without its own name.
///   - environment: variables added to this process's own; `nil` removes one. `LD_PRELOAD` and
///     `LIVEOBJECTS_OPTIONS` are never inherited.
///   - standardInput: what the program reads.
/// - Throws: an error that names the program and the reason, if it could not be started.
public func runProgram(
  _ executable: String, _ arguments: [String] = [], environment: [String: String?] = [:],
  standardInput: String = ""
) throws -> ProgramRun {
  let folder = try TemporaryFolder()
  let input = folder.path("input")
  try Data(standardInput.utf8).write(to: URL(fileURLWithPath: input))
  let child = try spawn(
    executable, arguments, environment: childEnvironment(adding: environment),
    streams: [input, folder.path("output"), folder.path("error")])
  let status = wait(for: child)
  return ProgramRun(
    status: status, standardOutput: try folder.text(of: "output"),
    standardError: try folder.text(of: "error"))
}

/// None of the tests' programs takes a tenth of that time on an idle machine. An emulated one sets it (Tests/Machine).
private let longestRun = Duration.seconds(
  ProcessInfo.processInfo.environment["LIVEOBJECTS_TEST_SECONDS"].flatMap(Int.init) ?? 1_200)

/// Polls, because a blocking wait has no timeout: a hanging program is killed.
private func wait(for child: pid_t) -> ProgramRun.Status {
  let deadline = ContinuousClock.now + longestRun
  var raw: Int32 = 0
  while waitpid(child, &raw, WNOHANG) == 0 {
    guard ContinuousClock.now < deadline else {
      kill(-child, SIGKILL)
      waitpid(child, &raw, 0)
      return .timedOut
    }
    usleep(2_000)
  }
  let signal = raw & 0x7f
  return signal == 0 ? .exited((raw >> 8) & 0xff) : .signaled(signal)
}

private func childEnvironment(adding added: [String: String?]) -> [String: String] {
  var environment = ProcessInfo.processInfo.environment
  environment["LD_PRELOAD"] = nil
  environment["LIVEOBJECTS_OPTIONS"] = nil
  for (name, value) in added {
    environment[name] = value
  }
  return environment
}

extension String {
  /// A JSON report without the command that made it.
  public var withoutCommand: NSDictionary {
    get throws {
      let json = try JSONSerialization.jsonObject(with: Data(utf8)) as? [String: Any] ?? [:]
      return NSDictionary(dictionary: json.filter { $0.key != "run" })
    }
  }
}
