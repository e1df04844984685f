#if compiler(>=6.1)
  import Demo
  import LiveObjects
  import LiveObjectsTesting
  import Testing

  @Suite(.detectsLeaks) struct DetectsLeaksTests {
    @Test func leakingOnASuite() {  // fails: leakingOnASuite()
      makeLoaderCycle()
    }

    @Test func fixedOnASuite() async throws {
      makeFixedLoader()
      try await Task.sleep(for: .milliseconds(1))
    }

    @Test(arguments: 0..<6)  // fails: leakingInSomeCases(number:)
    func leakingInSomeCases(number: Int) async {
      await Task.yield()
      if number.isMultiple(of: 2) { makeLoaderCycle() }
      await Task.yield()
    }

    @Test func failingForAnotherReason() {
      makeLoaderCycle()
      #expect(Bool(false))  // fails: failingForAnotherReason()
    }

    @Test func throwing() throws {  // fails: throwing()
      makeLoaderCycle()
      throw DemoError()
    }

    @Test func knownIssueIsNoFailure() {  // fails: knownIssueIsNoFailure()
      withKnownIssue { Issue.record("known") }
      makeLoaderCycle()
    }

    /// Beside others, on whose threads old words may be.
    @Test(arguments: 0..<4)  // fails: leavingATaskThatIsNeverResumed(number:)
    func leavingATaskThatIsNeverResumed(number: Int) async {
      await Waiter.leave()
    }

    @Suite struct Inner {
      @Test func leakingInside() {  // fails: leakingInside()
        makeLoaderCycle()
      }
    }
  }

  @Suite struct SingleTestTests {
    @Test(.detectsLeaks("in a group")) func leakingOnATest() async {  // fails: leakingOnATest()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { makeLoaderCycle() } }
      }
    }

    @Test(.detectsLeaks(options: growthOfItems))  // fails: growing()
    func growing() {
      Registry.shared.items.append(Item())
    }

    @Test(.detectsLeaks(options: .init(failing: .growth(of: ["Demo.Item"]), warmUp: 1)))
    func fillingOnce() {
      if CacheOfOne.item == nil { CacheOfOne.item = Item() }
    }

    @Test(ExpectedRequirement(), .detectsLeaks) func requirementReachesOuterTraits() throws {
      _ = try #require(nil as Int?)  // fails: requirementReachesOuterTraits()
    }

    @Test func withoutTheTrait() {
      makeLoaderCycle()
    }
  }

  private let growthOfItems = LiveObjects.LeakOptions(failing: .growth(of: ["Demo.Item"]), iterations: 3)

  /// Records another issue if the test seems to return normally.
  private struct ExpectedRequirement: TestTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await function()
      Issue.record("the failed requirement did not end the test")
    }
  }

  private enum CacheOfOne {
    nonisolated(unsafe) static var item: Item?
  }
#endif
