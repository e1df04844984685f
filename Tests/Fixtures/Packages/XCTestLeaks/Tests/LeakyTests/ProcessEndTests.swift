import Foundation
import Leaky
import XCTest

/// Whether the environment enables something that would disturb other tests.
private func isEnabled(_ name: String) -> Bool {
  ProcessInfo.processInfo.environment[name] != nil
}

/// A leak, and other threads until the process ends.
final class ProcessEndTests: XCTestCase {
  /// Used twice, so that the compiler does not merge it with another test with the same code.
  @inline(never) func testA_overRetains() {
    let token = Token()
    token.use()
    token.use()
    _ = Unmanaged.passRetained(token)
  }

  /// While the thread runs, its registers may hold any object.
  func testB_startsAThreadThatNeverEnds() {
    guard isEnabled("LEAKY_THREAD_RUNS") else { return }
    Thread.detachNewThread { while true {} }
  }
}

/// An over-retained object that a later test releases.
final class ReleasedTests: XCTestCase {
  /// The complement of an address, so that it is not found as a reference.
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
    if isEnabled("LEAKY_CRASHES") { kill(getpid(), SIGKILL) }
  }

  func testD_deallocatesTwice() {
    guard isEnabled("LEAKY_DEALLOCATES_TWICE") else { return }
    let buffer = UnsafeMutablePointer<Int>.allocate(capacity: 8)
    buffer.deallocate()
    buffer.deallocate()
  }
}
