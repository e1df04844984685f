import Foundation
import Leaky
import XCTest

/// Tests that start their own binary again, with the name of the test that runs: the usual way to assert a crash.
final class RestartTests: XCTestCase {
  private static let isChild = ProcessInfo.processInfo.environment["LEAKY_IS_CHILD"] != nil

  func testA_crashesByFoundation() throws {
    if Self.isChild { fatalError("expected") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = childArguments
    process.environment = ProcessInfo.processInfo.environment.merging(["LEAKY_IS_CHILD": "1"]) { $1 }
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .uncaughtSignal)
  }

  func testB_crashesByPosixSpawn() {
    if Self.isChild { fatalError("expected") }
    XCTAssertNotEqual(statusOfChild { spawn($0) } & 0x7f, 0)
  }

  func testC_crashesByForkAndExec() {
    if Self.isChild { fatalError("expected") }
    XCTAssertNotEqual(statusOfChild { forkAndExec($0) } & 0x7f, 0)
  }

  /// The child's leak is none of this test: it would fail, and so change the status that its parent expects.
  func testD_endsNormally() {
    if Self.isChild { return Loader().observe() }
    XCTAssertEqual(statusOfChild { spawn($0) }, 0)
  }

  // Otherwise the optimiser copies it into code that SwiftPM generated.
  @inline(never) func testE_leaksToo() {
    if Self.isChild { fatalError("expected") }
    XCTAssertNotEqual(statusOfChild { spawn($0) } & 0x7f, 0)
    Loader().observe()
  }

  /// `RestartTests.testA_…` is `LeakyTests.RestartTests/testA_…` as an argument.
  private var childArguments: [String] { ["LeakyTests." + name.replacingOccurrences(of: ".", with: "/")] }

  private func statusOfChild(_ start: ([UnsafeMutablePointer<CChar>?]) -> pid_t) -> Int32 {
    setenv("LEAKY_IS_CHILD", "1", 1)
    defer { unsetenv("LEAKY_IS_CHILD") }
    let arguments = ([CommandLine.arguments[0]] + childArguments).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var status: Int32 = -1
    waitpid(start(arguments), &status, 0)
    return status
  }

  private func spawn(_ arguments: [UnsafeMutablePointer<CChar>?]) -> pid_t {
    var process: pid_t = 0
    XCTAssertEqual(posix_spawn(&process, arguments[0]!, nil, nil, arguments, environ), 0)
    return process
  }

  /// Swift declares `fork` unavailable.
  private func forkAndExec(_ arguments: [UnsafeMutablePointer<CChar>?]) -> pid_t {
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
    let process = fork()
    if process == 0 {
      execv(arguments[0]!, arguments)
      _exit(127)
    }
    return process
  }
}
