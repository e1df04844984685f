import TestSupport
import Testing

/// LiveObjectsXCTest: failing tests, places and messages.
struct XCTestAssertionTests {
  private let run: XCTestRun

  init() throws {
    run = try AssertionIdioms.xctests.get()
  }

  private func message(of test: String) throws -> String { try #require(run.messages(of: test).first) }

  @Test func leakingCodeFailsAtTheCallerAndFixedCodePasses() throws {
    let places = Set(run.failures.map { AssertionIdioms.Place(test: $0.test, line: $0.place) })
    let mixed = try AssertionIdioms.expectedFailures(in: "MixedTests").filter {
      $0.test.hasPrefix("MixedXCTests.")
    }
    let expectedFailures = try AssertionIdioms.expectedFailures(in: "DemoXCTests") + mixed
    #expect(places.sorted() == expectedFailures.sorted())
    #expect(run.run.status == .exited(1))
  }

  @Test func failuresOfTrackForLeaksAreRecordedByXCTest() {
    let output = run.run.standardOutput
    #expect(output.contains("Test Case 'ClearedPropertyTests.testLeaking' failed"))
    #expect(output.contains("Test Case 'ClearedPropertyTests.testFixed' passed"))
    #expect(output.contains("Test Case 'MakeSUTTests.testSkippedReportsNoLeak' skipped"))
  }

  @Test func trackedObjectsOfOneCycleFailTogether() throws {
    #expect(run.messages(of: "MakeSUTTests.testLeaking").count == 1)
    let message = try message(of: "MakeSUTTests.testLeaking")
    let start = "trackForLeaks: Demo.Loader and Demo.ClientSpy are still alive at the end of the test: "
    #expect(message.contains(start + "retain cycle: Demo.ClientSpy (4 objects, "))
  }

  @Test func anObjectThatIsTrackedTwiceFailsOnce() throws {
    #expect(run.messages(of: "MakeSUTTests.testTrackedTwice").count == 1)
    #expect(try message(of: "MakeSUTTests.testTrackedTwice").contains("Demo.Item is still alive"))
  }

  @Test func trackedObjectsWithDifferentReasonsFailSeparately() {
    let messages = run.messages(of: "MakeSUTTests.testLeakingForTwoReasons")
    #expect(messages.count == 2)
    #expect(messages.contains { $0.contains("Demo.Loader is still alive at the end of the test: ") })
    #expect(messages.contains { $0.contains("Demo.Item is still alive at the end of the test: held by ") })
  }

  @Test(arguments: [
    "NoLeaksTests.testLeaking", "NoLeaksTests.testLeakingAsynchronously", "DeallocatedTests.testLeaking",
    "MakeSUTTests.testLeaking", "CustomRunTests.testLeaking",
  ])
  func aCycleIsReportedByItsPathAndCallSites(test: String) throws {
    let message = try message(of: test)
    // A cycle is named after the only object of it that the test names.
    let isNamed = ["DeallocatedTests.testLeaking", "CustomRunTests.testLeaking"].contains(test)
    #expect(message.contains("retain cycle: Demo.\(isNamed ? "Loader" : "ClientSpy") (4 objects, "))
    #expect(
      message.contains(
        isNamed
          ? "Loader.client → ClientSpy.completions[0] → closure #1 in Loader.load() → self"
          : "ClientSpy.completions[0] → closure #1 in Loader.load() → self.client → ClientSpy"))
    #expect(message.contains("allocated at "))
    #expect(message.contains("Loader.swift:"))
    #expect(!message.contains("LeakAssertions") && !message.contains("XCTAssertNoLeaks.swift"))
  }

  @Test(arguments: [
    ("DeallocatedTests.testLeakingLifecycle", "Coordinator.screen → Screen.delegate → Coordinator"),
    ("ClearedPropertyTests.testLeaking", "Coordinator.screen → Screen.delegate → Coordinator"),
    ("DeallocatedTests.testHeldByAStatic", "held by static Registry.shared: Demo.Item"),
    ("DeallocatedTests.testHeldByAStatic", "static Registry.shared.items[0] → Item"),
    ("DeallocatedTests.testHistoryLifecycle", "static Presenter.history.items[0] → FixedCoordinator"),
    ("MakeSUTTests.testKeptByAStatic", "static Registry.shared.items[0] → Item"),
    ("NoLeaksTests.testGrowthOnRequest", "held by static Registry.shared: Demo.Item"),
    (
      "DeallocatedTests.testVictimOfACycle",
      "Demo.Item is still alive after 0.1 seconds: leaked objects hold it"
    ),
    ("DeallocatedTests.testVictimOfACycle", "Owner.itself → Owner"),
    ("NoLeaksTests.testOverRetained", "over-retained by 1 each: Demo.Item"),
    ("NoLeaksTests.testOverRetainedAsynchronously", "over-retained by 1 each: Demo.Item"),
    ("NoLeaksTests.testOverRetainedWhileAnotherThreadRuns", "over-retained by 1 each: Demo.Item"),
    ("DeallocatedTests.testOverRetained", "over-retained by 1: Demo.Item"),
    ("DeallocatedTests.testReturningNil", "the closure returned nil: no object was watched"),
    (
      "CustomRunTearDownTests.testTrackingInTearDown",
      "nothing is checked: the class of the test's run is not XCTestCaseRun"
    ),
    ("InitializerTests.testTrackedByInitializer", "held by static InitializerTests.loader: Demo.Loader"),
    ("NoLeaksTests.testStoppedRecorderFails", "nothing was watched: LiveObjects.stop() was called"),
    ("NoLeaksTests.testMessageIsAdded", " (4 objects, 136 bytes) - in the demo\n"),
  ])
  func theMessageNamesTheHolder(test: String, part: String) throws {
    let message = try message(of: test)
    #expect(message.contains(part))
  }

  @Test func eachMisspeltTypeFails() {
    let expected = ["Demo.Itm", "Deno.Item", "Holdr<Int>"].map {
      "failed - XCTAssertNoLeaks: growth(of:) names \"\($0)\", which is in the name of no type of this process"
    }
    #expect(run.messages(of: "NoLeaksTests.testMisspeltType") == expected)
  }

  @Test func trackingFromTheStartPrintsNothing() {
    #expect(run.run.standardError == "")
  }
}
