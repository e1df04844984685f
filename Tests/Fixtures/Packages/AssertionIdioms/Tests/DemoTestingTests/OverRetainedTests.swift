import Demo
import LiveObjectsTesting
import Testing

/// Told surely where each runs alone in its process: beside them, other threads may hold the object.
@Suite struct OverRetainedTests {
  #if compiler(>=6.1)
    @Test(.detectsLeaks) func overRetainedOnATest() {
      overRetain()
    }
  #endif

  @Test func overRetained() {
    expectNoLeaks { overRetain() }
  }

  @Test func overRetainedAsynchronously() async {
    await expectNoLeaks {
      await Task.yield()
      overRetain()
    }
  }
}
