import TestSupport
import Testing

/// If the system forbids the snapshot process, an assertion fails if there are survivors, and reports no verdict.
struct UnevaluatedAssertionTests {
  private static let reason = "references were not read: the system does not allow the snapshot process"

  private func run(_ tests: String...) throws -> XCTestRun {
    let list = tests.map { "DemoXCTests." + $0 }.joined(separator: ",")
    return XCTestRun(try AssertionIdioms.run([list], environment: ["FORBID_CLONE": "1"]))
  }

  private func runSwiftTest(_ test: String) throws -> SwiftTestingRun {
    SwiftTestingRun(
      try AssertionIdioms.run(
        SwiftTestingRun.arguments + ["--filter", test], environment: ["FORBID_CLONE": "1"]))
  }

  @Test(arguments: [
    "NoLeaksTests/testLeaking", "NoLeaksTests/testLeakingAsynchronously", "NoLeaksTests/testOverRetained",
    "NoLeaksTests/testCacheIsNoLeak",
  ])
  func survivorsFailWithTheReason(test: String) throws {
    let failures = try run(test).failures
    #expect(failures.count == 1)
    #expect(
      failures.allSatisfy {
        $0.message.hasPrefix("failed - XCTAssertNoLeaks: leaks could not be evaluated: " + Self.reason)
      })
  }

  @Test func aMemoryLimitIsNamedAsTheReason() throws {
    let script = "ulimit -v 500000; exec \"$0\" \"$@\""
    let run = XCTestRun(
      try runProgram(
        "/bin/sh",
        ["-c", script, AssertionIdioms.package.testBinary(), "DemoXCTests.NoLeaksTests/testLeaking"]))
    #expect(run.failures.count == 1)
    #expect(
      run.failures.allSatisfy { $0.message.contains("the limit of this process's memory leaves no room") },
      "\(run.failures)")
  }

  @Test func assertionsWithoutSurvivorsPass() throws {
    #expect(try run("NoLeaksTests/testFixed", "DeallocatedTests/testFixed").run.status == .exited(0))
  }

  @Test func anObjectThatStaysAliveFailsWithAnUnknownHolder() throws {
    for test in ["DeallocatedTests/testLeaking", "MakeSUTTests/testLeaking", "KeptPropertyTests/testKept"] {
      let messages = try run(test).failures.map(\.message)
      #expect(!messages.isEmpty, "\(test)")
      #expect(messages.allSatisfy { $0.contains(" unknown: " + Self.reason) }, "\(test): \(messages)")
      #expect(messages.allSatisfy { $0.contains(" still alive ") }, "\(test): \(messages)")
    }
  }

  @Test func unevaluatedAssertionsMayBeSkipped() throws {
    let run = try run("NoLeaksTests/testSkippedOnRequest")
    #expect(run.failures.isEmpty)
    #expect(run.run.status == .exited(0))
    #expect(run.run.standardError.hasPrefix("LiveObjects: leaks could not be evaluated: " + Self.reason))
  }

  static let expectations =
    ["ExpectNoLeaksTests/leaking\\("] + (AssertionIdioms.haveTrait ? ["SingleTestTests/leakingOnATest"] : [])

  @Test(arguments: expectations)
  func expectationsFailWithTheReason(test: String) throws {
    let messages = try runSwiftTest(test).issues.map(\.message)
    #expect(!messages.isEmpty)
    #expect(
      messages.allSatisfy { $0.contains("leaks could not be evaluated: " + Self.reason) }, "\(messages)")
  }
}
