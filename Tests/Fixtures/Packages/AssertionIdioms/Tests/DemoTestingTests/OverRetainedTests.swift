import Demo
import LiveObjectsTesting
import Testing

/// Threads of parallel tests may hold the object, so the finding is probable.
@Suite struct OverRetainedTests {
  #if compiler(>=6.1)
    @Test(.detectsLeaks) func overRetainedOnATest() {  // fails: overRetainedOnATest()
      overRetainSeveral()
    }
  #endif

  @Test func overRetained() {
    expectNoLeaks { overRetainSeveral() }  // fails: overRetained()
  }

  @Test func overRetainedAsynchronously() async {
    await expectNoLeaks {  // fails: overRetainedAsynchronously()
      await Task.yield()
      overRetainSeveral()
    }
  }
}
