import Foundation
import Leaky
import Testing

@Suite(.serialized) struct CrashTests {
  @Test func a_leaks() { makeRetainCycle(Self.self) }

  @Test func b_leavesNothing() {}

  @Test func c_crashes() {
    if ProcessInfo.processInfo.environment["LEAKY_CRASHES"] != nil { kill(getpid(), SIGKILL) }
  }
}
