package import LiveObjects
package import LiveObjectsReport

/// How much looks at the whole heap may take in a run, with the searches that spare them and the waits between them.
///
/// Such a look takes the longer, the more lives in the process, and a suite may have thousands of tests that leave
/// something behind. Once they have taken too much, a test's end tells only what a short look shows, and the
/// report tells the rest.
///
/// Each is counted with the time that it takes on an ordinary machine. Time that passes would have a test fail or
/// pass by the load of the machine.
package final class LookBudget: Sendable {
  /// What is given in any case: enough for all looks of most suites.
  private static let initial = Duration.seconds(2)
  /// What each test adds: some hundredths of what tests take.
  private static let share = Duration.milliseconds(1)
  private static let look = Duration.milliseconds(3)
  private static let lookAtAnObject = Duration.nanoseconds(2500)
  private static let search = Duration.milliseconds(2)
  private static let wait = Duration.milliseconds(100)

  private let spent = Locked(Duration.zero)
  /// One look or search at a time: the wait for another one is neither.
  private let turn = Locked(SearchPace())

  package init() {}

  private func isSpent(at test: WatchedTest) -> Bool {
    let given = Self.initial + Self.share * Int(test.number)
    return spent.withLock { $0 > given }
  }

  private func spend(_ duration: Duration) {
    spent.withLock { $0 += duration }
  }

  /// A wait for what may still be released begins.
  package func beginWait() { spend(Self.wait) }

  /// Looks at the whole heap.
  ///
  /// - Parameter waits: for a moment in which no thread that runs may hold an object, if need be.
  /// - Returns: `nil` if there is no time left for it, or the recorder cannot tell.
  package func look(at test: WatchedTest, failOn: FailOn, waits: Bool = false) -> TestLook? {
    turn.withLock { _ in
      guard !isSpent(at: test) else { return nil }
      if waits { spend(Self.wait) }
      let look = try? TestLook(at: test, failOn: failOn, waits: waits)
      spend(Self.look + Self.lookAtAnObject * (look?.objectCount ?? 0))
      return look
    }
  }

  /// Searches from the program's variables, which is done in a third of a look's time.
  ///
  /// - Returns: `true` if variables hold all of these objects; `false` also where it was not looked for.
  package func showsVariablesHold(_ objects: [ObjectIdentity], leftBy test: WatchedTest) -> Bool {
    turn.withLock { pace in
      guard !isSpent(at: test), pace.searchesNow() else { return false }
      spend(Self.search)
      let holding = Recorder.holding(of: objects)
      pace.note(holding)
      return holding == .shown
    }
  }
}
