import TestSupport
import Testing

/// An assertion that is called in a test of the other library fails that test.
struct MixedLibraryTests {
  @Test func expectationsFailTheRunningXCTest() throws {
    let run = XCTestRun(try AssertionIdioms.run(["MixedTests.MixedXCTests"]))
    let places = Set(run.failures.map { AssertionIdioms.Place(test: $0.test, line: $0.place) })
    let expectedFailures = try expectedFailures(of: "MixedXCTests.")
    #expect(places.sorted() == expectedFailures)
    #expect(run.passed == ["MixedXCTests.testFixed", "MixedXCTests.testNothing"])
    #expect(run.failures.allSatisfy { $0.message.contains("this expectation is for tests of Swift Testing") })
  }

  @Test func assertionsFailTheRunningSwiftTest() throws {
    let run = SwiftTestingRun(
      try AssertionIdioms.run(SwiftTestingRun.arguments + ["--filter", "MixedSwiftTests"]))
    let places = Set(
      run.issues.filter { !$0.test.isEmpty && $0.message.contains("for tests of XCTest") }
        .map { AssertionIdioms.Place(test: $0.test, line: $0.place) })
    let expectedFailures = try expectedFailures(of: "").filter { !$0.test.hasPrefix("MixedXCTests.") }
    #expect(places.isSuperset(of: expectedFailures))
    #expect(run.messages(of: "fixed()").isEmpty)
    #expect(run.run.status == .exited(1))
  }

  @Test func assertionsInADetachedTaskFailTheRun() throws {
    for test in ["assertNoLeaksInADetachedTask", "expectNoLeaksInADetachedTask"] {
      let run = try AssertionIdioms.run(SwiftTestingRun.arguments + ["--filter", "/" + test])
      #expect(run.status == .exited(1))
      #expect((run.standardOutput + run.standardError).contains("retain cycle: Demo.ClientSpy"))
    }
  }

  @Test func assertionsOutsideOfTestsFailTheProcess() throws {
    let run = try AssertionIdioms.run(["MixedTests.MixedXCTests/testNothing"])
    #expect(run.status == .exited(1))
    #expect(XCTestRun(run).passed == ["MixedXCTests.testNothing"])
    for assertion in ["XCTAssertNoLeaks", "expectNoLeaks"] {
      #expect(
        run.standardError.contains(": error: \(assertion): retain cycle: Demo.ClientSpy"), "\(assertion)")
    }
  }

  private func expectedFailures(of prefix: String) throws -> [AssertionIdioms.Place] {
    try AssertionIdioms.expectedFailures(in: "MixedTests").filter { $0.test.hasPrefix(prefix) }
  }
}
