internal import LiveObjects
package import LiveObjectsReport

/// The time that scans of the whole heap may take in a run, with the waits between them.
///
/// A scan takes the longer, the more objects are alive, and a suite may have thousands of tests that leave
/// objects behind. When the budget is spent, the end of a test evaluates a partial capture only, and the
/// report on the process evaluates the rest.
///
/// Each scan counts with the time that it takes on an ordinary machine. With elapsed time, a test would fail
/// or pass by the load of the machine.
package final class HeapScanBudget: Sendable {
  /// The budget of every run: enough for all scans of most suites.
  private static let initial = Duration.seconds(2)
  /// The addition for each test: some hundredths of the time that tests take.
  private static let share = Duration.milliseconds(1)
  private static let scan = Duration.milliseconds(3)
  private static let scanPerObject = Duration.nanoseconds(2500)
  private static let wait = Duration.milliseconds(100)

  private let spent = Locked(Duration.zero)
  /// Allows one scan at a time. Waiting for another thread's is not counted.
  private let turn = Locked(())

  package init() {}

  private func isSpent(at test: WatchedTest) -> Bool {
    let budget = Self.initial + Self.share * Int(test.number)
    return spent.withLock { $0 > budget }
  }

  private func spend(_ duration: Duration) {
    spent.withLock { $0 += duration }
  }

  /// Counts a wait for late releases.
  package func beginWait() { spend(Self.wait) }

  /// Scans the whole heap.
  ///
  /// - Parameter waits: whether to wait for a moment in which no running thread may hold an object, if
  ///   necessary.
  /// - Returns: `nil` if the budget is spent or the scan has failed.
  package func scan(at test: WatchedTest, failOn: FailOn, waits: Bool = false) -> TestHeapAnalysis? {
    turn.withLock { _ in
      guard !isSpent(at: test) else { return nil }
      if waits { spend(Self.wait) }
      let analysis = try? TestHeapAnalysis(at: test, failOn: failOn, waits: waits)
      spend(Self.scan + Self.scanPerObject * (analysis?.objectCount ?? 0))
      return analysis
    }
  }
}
