import Leaky
import Testing

private enum Mistake: Error {
  case made
}

/// Each of these tests leaks as well. A test that did not pass may not have cleaned up.
struct OutcomeTests {
  @Test func fails() {
    makeRetainCycle(Int.self)
    #expect(Bool(false))
  }

  /// As readable output it takes two lines.
  @Test("fails\nlater") func failsUnderALongName() {
    makeRetainCycle(Int.self)
    #expect(Bool(false))
  }

  @Test func throwsAnError() throws {
    makeRetainCycle(Int.self)
    throw Mistake.made
  }

  @Test func throwsLater() async throws {
    makeRetainCycle(Int.self)
    await Task.yield()
    throw Mistake.made
  }

  @Test func failsInAChildTask() async {
    makeRetainCycle(Int.self)
    await withTaskGroup(of: Void.self) { group in group.addTask { Issue.record("it went wrong") } }
  }

  @Test(.disabled("not today")) func isSkipped() {
    makeRetainCycle(Int.self)
  }

  @Test func hasAKnownIssue() {
    makeRetainCycle(Double.self)
    withKnownIssue { #expect(Bool(false)) }
  }

  #if compiler(>=6.3)
    @Test func isCancelled() throws {
      makeRetainCycle(Int.self)
      try Test.cancel("enough")
    }

    @Test(arguments: [1, 2]) func isCancelledOnce(number: Int) throws {
      makeRetainCycle(Int8.self)
      if number == 1 { try Test.cancel("enough") }
    }

    @Test func warns() {
      makeRetainCycle(Float.self)
      Issue.record("be careful", severity: .warning)
    }
  #endif
}
