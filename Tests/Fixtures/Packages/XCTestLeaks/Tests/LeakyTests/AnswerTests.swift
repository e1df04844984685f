import Foundation
import Leaky
import XCTest

/// Whether this run of the tests shall do something that would disturb others.
private func isAsked(_ name: String) -> Bool {
  ProcessInfo.processInfo.environment[name] != nil
}

/// What becomes of a process after a test has leaked.
final class AnswerTests: XCTestCase {
  /// Used twice, so that the compiler does not merge it with a test that does the same otherwise.
  @inline(never) func testA_overRetains() {
    let token = Token()
    token.use()
    token.use()
    _ = Unmanaged.passRetained(token)
  }

  /// Whether another thread holds an object nobody can tell from now on.
  func testB_leavesAThreadThatRuns() {
    guard isAsked("LEAKY_THREAD_RUNS") else { return }
    Thread.detachNewThread { while true {} }
  }
}

/// Releases after the test that are none of a leak.
final class ReleasedTests: XCTestCase {
  /// The complement of an address, so that nothing seems to hold the object.
  private nonisolated(unsafe) static var hidden: UInt = 0

  @inline(never) func testA_overRetains() {
    let token = Token()
    token.use()
    Self.hidden = ~UInt(bitPattern: Unmanaged.passRetained(token).toOpaque())
  }

  func testB_releases() {
    guard let address = UnsafeRawPointer(bitPattern: ~Self.hidden) else { return }
    Unmanaged<Token>.fromOpaque(address).release()
  }
}

final class CrashTests: XCTestCase {
  func testA_leaks() {
    let loader = Loader()
    loader.observe()
  }

  func testB_leavesNothing() {}

  func testC_crashes() {
    if isAsked("LEAKY_CRASHES") { kill(getpid(), SIGKILL) }
  }
}
