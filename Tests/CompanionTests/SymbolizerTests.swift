import Foundation
import TestSupport
import Testing

/// The symbolizer that names frames for failing tests.
struct SymbolizerTests {
  @Test func oneSymbolizerServesAllTestsAndEndsWithTheProcess() throws {
    let run = try XCTestLeaks.run("ChildTests")
    #expect(run.failed == ["ChildTests.testA_leaks", "ChildTests.testC_leaksElsewhere"])
    #expect(run.passed == ["ChildTests.testB_hasNoChild", "ChildTests.testD_hasNoChildEither"])
    let symbolizers = run.run.standardOutput.split(separator: "\n")
      .filter { $0.hasPrefix("symbolizer:") }
      .map { $0.split { !$0.isNumber }.compactMap { Int32($0) } }
    #expect(symbolizers.count == 2)
    #expect(symbolizers.allSatisfy { $0.count == 1 })
    #expect(Set(symbolizers).count == 1)
    #expect(kill(try #require(symbolizers.first?.first), 0) == -1)
  }
}
