import TestSupport
import Testing

/// A test that leaks fails as with an assertion of XCTest.
struct XCTestFailureTests {
  @Test func aLeakFailsOnlyTheTestThatAllocatedIt() throws {
    let run = try XCTestLeaks.run("OrderTests")
    #expect(run.failures.map(\.test) == ["OrderTests.testB_leaks"])
    #expect(run.failed == ["OrderTests.testB_leaks"])
    #expect(run.passed == ["OrderTests.testA_leavesNothing", "OrderTests.testC_leavesNothingEither"])
    #expect(run.run.status == .exited(1))
  }

  @Test func theFailureAddsNoTestToTheSummary() throws {
    let run = try XCTestLeaks.run("OrderTests")
    #expect(run.summary == "Executed 3 tests, with 1 failure (0 unexpected)")
  }

  @Test func theFailureIsAtTheTestsDeclaration() throws {
    let run = try XCTestLeaks.run("OrderTests/testB_leaks")
    let declaration = try XCTestLeaks.declaration(of: "testB_leaks", in: "OrderTests.swift")
    #expect(run.failures.map(\.place) == [declaration])
  }

  @Test func anInheritedTestFailsAtItsDeclaration() throws {
    let run = try XCTestLeaks.run("InheritingTests")
    #expect(run.failures.map(\.test) == ["InheritingTests.testInherited"])
    let declaration = try XCTestLeaks.declaration(of: "testInherited", in: "OrderTests.swift")
    #expect(run.failures.map(\.place) == [declaration])
  }

  @Test func theMessageShowsVerdictPathAndCallSite() throws {
    let message = try #require(try XCTestLeaks.run("OrderTests").failures.first?.message)
    #expect(message.hasPrefix("LiveObjects: retain cycle: Leaky.Loader"))
    #expect(message.contains("Loader.handler → closure #1 in Loader.observe() → self"))
    #expect(message.contains("allocated at OrderTests.testB_leaks()"))
  }

  @Test func aStrongDelegateFailsAndAWeakOneDoesNot() throws {
    let run = try XCTestLeaks.run("DelegateTests/testStrongDelegate", "DelegateTests/testWeakDelegate")
    #expect(run.leaking == ["DelegateTests.testStrongDelegate"])
    #expect(run.failures[0].message.contains("Coordinator.screen → Screen.delegate → Coordinator"))
  }

  @Test func anOverRetainedObjectFailsWithTheRetainingCall() throws {
    let run = try XCTestLeaks.run("DelegateTests/testRetainedOnceTooOften", options: "retains=all")
    let message = try #require(run.messages(of: "DelegateTests.testRetainedOnceTooOften").first)
    #expect(message.contains("over-retained by 1: Leaky.Token"))
    #expect(message.contains("retained at DelegateTests.testRetainedOnceTooOften()"))
  }

  /// Identifiers, unowned and weak references in variables hold nothing, nor do old words in memory of C code.
  @Test(arguments: [
    "testB_leaksALoaderThatIsCounted", "testC_leaksALoaderThatIsTheLatest",
    "testD_leaksALoaderThatIsObserved", "testE_leaksALoaderAndFillsACache",
    "testF_overRetainsATokenThatWasInATable", "testG_overRetainsATokenThatWasInAList",
    "testH_closesACycleOfAnOlderLoader", "testI_overRetainsATokenWhoseAddressIsInOldMemory",
  ])
  func aLeakFailsItsTestDespiteNonOwningReferences(test: String) throws {
    let run = try XCTestLeaks.run("RegistryTests/" + test)
    #expect(run.failures.map(\.test) == ["RegistryTests." + test])
    let isOverRetained = test.contains("overRetains")
    let start = isOverRetained ? "probably over-retained by 1: Leaky.Token" : "retain cycle: Leaky.Loader"
    #expect(run.failures.first?.message.hasPrefix("LiveObjects: \(start)") == true, "\(run.failures)")
  }

  /// What the test leaves is reachable from a variable, but nothing outside of the heap retains it.
  @Test(arguments: [
    ("testJ_overRetainsAConnectionOfTheCurrentServer", "probably over-retained by 1: LeakyTests.Connection"),
    ("testK_dropsAnOlderServerThatIsCurrent", "retain cycle: LeakyTests.Connection"),
    ("testL_waitsForAGroupThatIsNotLeft", "probable retain cycle: LeakyTests.Server"),
  ])
  func aLeakFailsItsTestDespiteReachableObjects(test: String, start: String) throws {
    let run = try XCTestLeaks.run("RegistryTests/" + test)
    #expect(run.failures.map(\.test) == ["RegistryTests." + test])
    #expect(run.failures.first?.message.hasPrefix("LiveObjects: \(start)") == true, "\(run.failures)")
  }

  /// Although freed memory is cleared, where malloc has its own words.
  @Test func mallocNoticesASecondDeallocation() throws {
    let run = try runProgram(
      try XCTestLeaks.package.testBinary(), ["LeakyTests.CrashTests/testD_deallocatesTwice"],
      environment: [
        "LD_PRELOAD": BuiltProducts.preloadLibrary, "LIVEOBJECTS_OPTIONS": "output=/dev/null",
        "LEAKY_DEALLOCATES_TWICE": "1",
      ])
    #expect(run.standardError.contains("free(): double free detected"))
  }

  @Test func aFilledCacheDoesNotFail() throws {
    let run = try XCTestLeaks.run("RegistryTests/testA_fillsACache")
    #expect(run.passed == ["RegistryTests.testA_fillsACache"])
  }

  @Test func heldObjectsFailTheirTestOnRequest() throws {
    let run = try XCTestLeaks.run("RegistryTests/testA_fillsACache", options: "failon=held")
    #expect(run.failures.map(\.test) == ["RegistryTests.testA_fillsACache"])
    #expect(run.failures.first?.message.contains("RegistryTests.cache") == true)
  }

  @Test func anAsynchronousTestFails() throws {
    let run = try XCTestLeaks.run("AsyncTests")
    #expect(run.failures.map(\.test) == ["AsyncTests.testLeaksAfterAwaiting"])
    #expect(run.failed == ["AsyncTests.testLeaksAfterAwaiting"])
    let declaration = try XCTestLeaks.declaration(of: "testLeaksAfterAwaiting", in: "AsyncTests.swift")
    #expect(run.failures.map(\.place) == [declaration])
  }

  @Test func aTestThatRunsAnotherFailsAfterIt() throws {
    let run = try XCTestLeaks.run("NestingTests")
    #expect(run.failures.map(\.test) == ["NestingTests.testLeaksAndRunsAnother"])
    #expect(run.failed == ["NestingTests.testLeaksAndRunsAnother"])
    #expect(run.passed == ["InnerTests.testInner"])
  }

  @Test func aTestFailsAloneAsAmongOthers() throws {
    let alone = try XCTestLeaks.run("OrderTests/testB_leaks")
    let among = try XCTestLeaks.run("OrderTests")
    #expect(alone.failures == among.failures)
    #expect(try XCTestLeaks.run("OrderTests/testA_leavesNothing").run.status == .exited(0))
  }

  @Test func withFailOnNoneNoTestFails() throws {
    let run = try XCTestLeaks.run("OrderTests", options: "failon=none")
    #expect(run.failures.isEmpty)
    #expect(run.failed.isEmpty && run.passed.count == 3)
    #expect(run.run.status == .exited(0))
  }

  @Test func aTestThatStopsAtFailuresReportsAllItsLeaks() throws {
    let run = try XCTestLeaks.run("StoppingTests/testA_leaksTwice", "StoppingTests/testB_leavesNothing")
    #expect(
      run.failures.map(\.test) == ["StoppingTests.testA_leaksTwice", "StoppingTests.testA_leaksTwice"])
    #expect(run.failed == ["StoppingTests.testA_leaksTwice"])
    #expect(run.passed == ["StoppingTests.testB_leavesNothing"])
    #expect(run.summary == "Executed 2 tests, with 2 failures (0 unexpected)")
  }

  @Test func aMeasuringTestFailsOnceForAllIterations() throws {
    let run = try XCTestLeaks.run("MeasuringTests")
    #expect(run.failed == ["MeasuringTests.testLeaksWhileItIsMeasured"])
    #expect(run.failures.map(\.message.isALeakOfTenLoaders) == [true])
  }

  /// Without the companion, XCTest runs no run loop there.
  @Test(arguments: [
    "LateFailureTests/testFailsOnTheMainQueueAfterItsEnd", "StoppingTests/testC_failsAfterItsEnd",
  ])
  func aFailureDuringTheEvaluationFailsThatTest(test: String) throws {
    let run = try XCTestLeaks.run(test, "LateFailureTests/testNothing")
    let name = test.replacing("/", with: ".")
    #expect(run.failures.map(\.test) == [name])
    #expect(run.failures.map(\.message) == ["failed - late"])
    #expect(run.failed == [name])
    #expect(run.summary == "Executed 2 tests, with 1 failure (0 unexpected)")
    #expect(run.run.status == .exited(1))
  }
}

extension String {
  fileprivate var isALeakOfTenLoaders: Bool {
    hasPrefix("LiveObjects: retain cycle: Leaky.Loader (10 instances, ")
  }
}
