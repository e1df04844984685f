package import LiveObjects
package import LiveObjectsReport

/// How much of a run's time may go into looks at the whole heap, and searches that spare them.
///
/// Such a look takes the longer, the more lives in the process, and a suite may have thousands of tests that leave
/// something behind. Once they have taken too much, a test's end tells only what a short look shows, and the
/// report tells the rest.
package final class LookBudget: Sendable {
  /// What is given in any case: enough for all looks of most suites.
  private static let initial = Duration.seconds(2)
  /// What is given of the time that has passed, one part of so many.
  private static let part = 50

  private let start = ContinuousClock.now
  private let spent = Locked(Duration.zero)
  /// One look or search at a time: the wait for another one is neither.
  private let turn = Locked(SearchPace())

  package init() {}

  package var isSpent: Bool {
    let given = Self.initial + (ContinuousClock.now - start) / Self.part
    return spent.withLock { $0 > given }
  }

  /// Something else that was waited for.
  package func spend(_ duration: Duration) {
    spent.withLock { $0 += duration }
  }

  /// Looks at the whole heap.
  ///
  /// - Returns: `nil` if there is no time left for it, or the recorder cannot tell.
  package func look(at test: WatchedTest, failOn: FailOn) -> TestLook? {
    turn.withLock { _ in
      guard !isSpent else { return nil }
      return spending { try? TestLook(at: test, failOn: failOn) }
    }
  }

  /// Searches from the program's variables, which is done in a third of a look's time.
  ///
  /// - Returns: `true` if variables hold all of these objects; `false` also where it was not looked for.
  package func showsVariablesHold(_ objects: [ObjectIdentity]) -> Bool {
    turn.withLock { pace in
      guard !isSpent, pace.searchesNow() else { return false }
      let holding = spending { Recorder.holding(of: objects) }
      pace.note(holding)
      return holding == .shown
    }
  }

  private func spending<Result>(_ work: () -> Result) -> Result {
    let start = ContinuousClock.now
    defer { spend(ContinuousClock.now - start) }
    return work()
  }
}
