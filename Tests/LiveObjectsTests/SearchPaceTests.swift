import LiveObjects
import TestWatching
import Testing

struct SearchPaceTests {
  /// How many of so many searches are made, if each has the same result.
  private func searches(of count: Int, with holding: Recorder.Holding) -> Int {
    var pace = SearchPace()
    return (0..<count).count { _ in
      guard pace.searchesNow() else { return false }
      pace.note(holding)
      return true
    }
  }

  @Test func searchesThatShowSomethingAreAllMade() {
    #expect(searches(of: 1000, with: .shown) == 1000)
  }

  @Test func someInARowMayShowNothing() {
    #expect(searches(of: 4, with: .open) == 4)
    #expect(searches(of: 5, with: .open) == 4)
  }

  @Test func moreThatShowNothingAreLeftOutMoreAndMore() {
    #expect(searches(of: 100, with: .open) == 10)
    #expect(searches(of: 1000, with: .open) < 25)
    #expect(searches(of: 1000, with: .tooLarge) < searches(of: 1000, with: .open))
  }

  @Test func oneThatShowsSomethingBeginsAnew() {
    var pace = SearchPace()
    for _ in 0..<4 { pace.note(.open) }
    let afterMisses = [pace.searchesNow(), pace.searchesNow()]
    #expect(afterMisses == [false, true])
    pace.note(.shown)
    pace.note(.open)
    let afterASuccess = pace.searchesNow()
    #expect(afterASuccess)
  }
}
