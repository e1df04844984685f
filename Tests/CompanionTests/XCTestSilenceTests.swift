import TestSupport
import Testing

/// Objects that would be reported as leaks if they were evaluated too early.
struct XCTestSilenceTests {
  /// With `failon=growth` the test fails unless the companion waits.
  @Test(arguments: [
    "testOnAQueue", "testOnTheMainQueue", "testOnTheMainActor", "testInATask", "testInAnActor",
    "testOnAThread", "testOfACycleThatIsBroken",
  ])
  func anObjectReleasedSoonAfterItsTestIsNoLeak(test: String) throws {
    let run = try XCTestLeaks.run("LateReleaseTests/" + test, options: "failon=growth")
    #expect(run.failures.isEmpty, "\(run.failures)")
    #expect(run.summary == "Executed 1 test, with 0 failures (0 unexpected)")
  }

  @Test func aLateReleaseIsNoLeakInALeakingTest() throws {
    let run = try XCTestLeaks.run("LeakAndLateReleaseTests", options: "failon=growth")
    #expect(run.failures.count == 1, "\(run.failures)")
    #expect(run.failures.first?.message.hasPrefix("LiveObjects: retain cycle: Leaky.Loader") == true)
  }

  @Test func aPropertyOfATestCaseIsNoLeak() throws {
    let run = try XCTestLeaks.run("PropertyTests")
    #expect(run.failures.isEmpty)
    #expect(run.run.status == .exited(0))
  }

  @Test func anObjectInAPropertyIsHeldByTheTestCase() throws {
    let run = try XCTestLeaks.run("PropertyTests", options: "failon=held")
    let messages = run.messages(of: "PropertyTests.testKeepsObjects")
    #expect(messages.count == 2)
    #expect(messages.allSatisfy { $0.hasPrefix("LiveObjects: held by PropertyTests: Leaky.Token") })
    #expect(messages.contains { $0.contains("PropertyTests.tokens[0] → Token") })
    for property in ["tokens, PropertyTests.swift:6", "made, PropertyTests.swift:7"] {
      #expect(messages.contains { $0.contains("clear PropertyTests.\(property), in tearDown()") })
    }
    #expect(run.leaking.count == 2)
  }

  @Test func objectsOfXCTestAreNoLeaks() throws {
    let run = try XCTestLeaks.run("ExpectationTests", options: "failon=growth")
    #expect(run.failures.isEmpty, "\(run.failures)")
    #expect(run.summary == "Executed 5 tests, with 0 failures (0 unexpected)")
  }

  @Test func anObjectHeldByTheClassIsNoLeakOfTheTest() throws {
    let run = try XCTestLeaks.run("ClassTearDownTests")
    #expect(run.passed == ["ClassTearDownTests.testKeepsATokenForItsClass"])
  }

  @Test func aCycleThatIsBrokenInTearDownIsNoLeak() throws {
    let run = try XCTestLeaks.run("BrokenCycleTests")
    #expect(run.failures.isEmpty, "\(run.failures)")
  }

  @Test func unfinishedTestsAreNotEvaluated() throws {
    let run = try XCTestLeaks.run("OutcomeTests")
    #expect(run.leaking.isEmpty)
    #expect(
      run.failures.map(\.test) == [
        "OutcomeTests.testFails", "OutcomeTests.testThrows", "OutcomeTests.testThrowsAfterAwaiting",
      ])
    #expect(run.summary == "Executed 4 tests, with 1 test skipped and 3 failures (2 unexpected)")
  }
}
