import TestSupport
import Testing

/// A system under test that `tearDown` clears, in a test without assertions about leaks.
struct XCTestTearDownTests {
  @Test func aLeakedSystemUnderTestFailsWithItsPropertyName() throws {
    let run = try XCTestLeaks.run("TearDownTests")
    #expect(run.failures.map(\.test) == ["TearDownTests.testSystemUnderTestStaysAlive"])
    let message = try #require(run.failures.first?.message)
    #expect(message.contains("Coordinator.screen → Screen.delegate → Coordinator"))
    #expect(
      message.contains("`sut` of TearDownTests was cleared, but the object that it held is still alive."))
  }

  @Test func aDeallocatedSystemUnderTestDoesNotFail() throws {
    let run = try XCTestLeaks.run("FixedTearDownTests", options: "failon=growth")
    #expect(run.failures.isEmpty, "\(run.failures)")
  }

  @Test func anotherLeakIsNotReportedAsTheSystemUnderTest() throws {
    let run = try XCTestLeaks.run("UnrelatedLeakTests")
    let message = try #require(run.failures.first?.message)
    #expect(!message.contains("`sut`"), "\(message)")
  }

  @Test func theHolderOfASystemUnderTestIsNamed() throws {
    let run = try XCTestLeaks.run("RegisteredTests", options: "failon=held")
    let message = try #require(run.failures.first?.message)
    #expect(message.hasPrefix("LiveObjects: held by static Registry.tokens: Leaky.Token"), "\(message)")
    #expect(message.contains("`sut` of RegisteredTests was cleared"))
  }
}
