import LiveObjects
import TestWatching
import Testing

struct SearchBackoffTests {
  /// How many of so many searches are made, if each has the same result.
  private func searches(of count: Int, with result: Recorder.GlobalSearch) -> Int {
    var backoff = SearchBackoff()
    return (0..<count).count { _ in
      guard backoff.allowsSearch() else { return false }
      backoff.record(result)
      return true
    }
  }

  @Test func searchesThatShowSomethingAreAllMade() {
    #expect(searches(of: 1000, with: .reachable) == 1000)
  }

  @Test func someInARowMayShowNothing() {
    #expect(searches(of: 4, with: .inconclusive) == 4)
    #expect(searches(of: 5, with: .inconclusive) == 4)
  }

  @Test func moreThatShowNothingAreLeftOutMoreAndMore() {
    #expect(searches(of: 100, with: .inconclusive) == 10)
    #expect(searches(of: 1000, with: .inconclusive) < 25)
    #expect(searches(of: 1000, with: .limitExceeded) < searches(of: 1000, with: .inconclusive))
  }

  @Test func oneThatShowsSomethingBeginsAnew() {
    var backoff = SearchBackoff()
    for _ in 0..<4 { backoff.record(.inconclusive) }
    let afterMisses = [backoff.allowsSearch(), backoff.allowsSearch()]
    #expect(afterMisses == [false, true])
    backoff.record(.reachable)
    backoff.record(.inconclusive)
    let afterASuccess = backoff.allowsSearch()
    #expect(afterASuccess)
  }
}
