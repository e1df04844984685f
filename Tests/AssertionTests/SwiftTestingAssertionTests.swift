import TestSupport
import Testing

/// LiveObjectsTesting: failing tests, places and messages, with all tests running in parallel.
struct SwiftTestingAssertionTests {
  private let run: SwiftTestingRun

  init() throws {
    run = try AssertionIdioms.swiftTests.get()
  }

  @Test func leakingCodeFailsAtItsTestAndFixedCodePasses() throws {
    let places = Set(run.issues.map { AssertionIdioms.Place(test: $0.test, line: $0.place) })
    let expectedFailures = try AssertionIdioms.expectedFailures(in: "DemoTestingTests")
    #expect(places.sorted() == expectedFailures)
    #expect(run.run.status == .exited(1))
  }

  @Test(.needsDetectsLeaks) func onlyTheCasesThatLeakFail() {
    #expect(run.messages(of: "leakingInSomeCases(number:)").count == 3)
  }

  @Test(.needsDetectsLeaks) func everyTestFailsOnlyForWhatItAllocated() throws {
    let message = try #require(run.messages(of: "leakingInside()").first)
    #expect(message.contains("retain cycle: Demo.ClientSpy (4 objects, "))
    #expect(
      message.contains("ClientSpy.completions[0] → closure #1 in Loader.load() → self.client → ClientSpy"))
    let groups = try #require(run.messages(of: "leakingOnATest()").first)
    #expect(groups.contains("retain cycle: Demo.ClientSpy (4 instances, 16 objects, "))
    #expect(groups.contains(" bytes) - in a group\n"))
  }

  static let overRetaining =
    ["overRetained", "overRetainedAsynchronously"]
    + (AssertionIdioms.haveTrait ? ["overRetainedOnATest"] : [])

  @Test(arguments: overRetaining)
  func anOverRetainedObjectFailsItsTestInParallel(test: String) {
    let messages = run.messages(of: "\(test)()")
    #expect(messages.count == 1)
    #expect(messages.allSatisfy { $0.contains("over-retained by 1 each: Demo.Item") })
  }

  @Test(arguments: overRetaining)
  func anOverRetainedObjectFailsItsTestAlone(test: String) throws {
    let run = SwiftTestingRun(
      try AssertionIdioms.run(SwiftTestingRun.arguments + ["--filter", "/\(test)\\("]))
    #expect(run.issues.count == 1)
    #expect(run.issues.allSatisfy { $0.message.contains("over-retained by 1 each: Demo.Item") })
  }

  @Test(.needsDetectsLeaks) func aFailedRequirementReachesOuterTraits() {
    #expect(run.messages(of: "requirementReachesOuterTraits()").count == 1)
  }

  @Test func anObjectThatStaysAliveIsReportedWithItsHolder() throws {
    let cycle = try #require(run.messages(of: "leakingObject()").first)
    #expect(cycle.contains("expectDeallocated: "))
    #expect(cycle.contains("still alive after 0.1 seconds"))
    #expect(cycle.contains("ClientSpy.completions[0] → closure #1 in Loader.load() → self (cycle closes)"))
    let held = try #require(run.messages(of: "objectHeldByAStatic()").first)
    #expect(held.contains("static Shelf.items[0] → Item") && held.contains("in the demo"))
  }

  @Test(.needsDetectsLeaks) func aTestThatFailsForAnotherReasonReportsNoLeak() {
    #expect(run.messages(of: "failingForAnotherReason()").count == 1)
    #expect(run.messages(of: "throwing()").count == 1)
  }

  @Test func requestedGrowthIsReportedWithItsHolder() throws {
    let message = try #require(run.messages(of: "growthOnRequest()").first)
    #expect(message.contains("static GrowingRegistry.items[0] → Item"))
    #expect(message.contains(" bytes) - in the demo\n"))
  }

  @Test(.needsDetectsLeaks) func oneFindingReportsAllIterations() throws {
    #expect(try #require(run.messages(of: "growing()").first).contains("Demo.Item (3 instances, "))
  }
}
