import Demo
import LiveObjectsTesting
import Testing

/// Beside other tests, whose threads may hold the object, it is called probable.
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
