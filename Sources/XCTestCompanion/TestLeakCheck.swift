#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsReport
  internal import LiveObjectsSymbolication
  internal import TestWatching

  /// The leak check of one test: a scan at its end, and another one when its objects have settled, if the
  /// first has failures that may still be released.
  final class TestLeakCheck {
    private let test: WatchedTest
    private let failOn: FailOn
    private let budget: HeapScanBudget
    private var settling = Settling()
    /// `nil` without a result.
    private var last: TestHeapAnalysis?
    /// Whether the last analysis is of the whole heap, so that not only its certain leaks are valid.
    private var isFull = true
    /// Whether no object was left behind.
    private var isClean = false
    private var isSettled = true
    private var isWaiting = false

    init(
      at test: WatchedTest, failOn: FailOn, within budget: HeapScanBudget,
      namedBy symbolicator: BinarySymbolicator
    ) {
      self.test = test
      self.failOn = failOn
      self.budget = budget
      // A scan is expensive, and most tests leave no object behind.
      guard let survivors = try? test.survivors() else { return }
      isClean = survivors.isEmpty
      if isClean { return }
      last = budget.scan(at: test, failOn: failOn)
      isSettled = last.map { !$0.maySettle(namedBy: symbolicator) } ?? true
      if last == nil { checkForCycles() }
    }

    /// Whether all objects that the test left behind were evaluated.
    var isConclusive: Bool { isClean || (isFull && last?.isConclusive == true) }

    private func checkForCycles() {
      isFull = false
      last = TestHeapAnalysis.cycles(of: test, failOn: failOn).analysis
    }

    /// The time to wait before the next call; `nil` when the last analysis is final.
    func pause() -> Duration? {
      guard !isSettled else { return nil }
      let survivors = try? test.survivors()
      if let survivors, let pause = settling.pause(after: survivors) {
        if !isWaiting { budget.beginWait() }
        isWaiting = true
        return pause
      }
      isSettled = true
      if let survivors, let last, last.isValid(for: survivors) { return nil }
      last = budget.scan(at: test, failOn: failOn, waits: true)
      if last == nil { checkForCycles() }
      return nil
    }
  }

  // MARK: - Failures

  /// The failure that one finding causes.
  struct TestFailure {
    var finding: Finding
    /// `nil` where the place is unknown; the line is 0 then, as in XCTest.
    var file: String?
    var line: Int

    var message: String { "LiveObjects: \(FindingText(finding))" }
  }

  extension TestLeakCheck {
    func failures(of running: RunningTest, namedBy symbolicator: BinarySymbolicator) -> [TestFailure] {
      guard let last, last.hasSuspects else { return [] }
      let entry = last.entry(
        of: running.testCase.methodNames, near: running.testCase.classAddress, namedBy: symbolicator)
      let findings = last.failures(
        namedBy: symbolicator, certainOnly: !isFull, cleared: running.clearedProperties, symbolicating: entry)
      let declaration = entry.flatMap { symbolicator.declaration(at: $0, of: last.capture) }
      return findings.map { finding in
        // Equal optimised methods are merged, and have no place of their own.
        let allocation = finding.allocatedAt.first?.frames.first { $0.isUserCode && $0.line != nil }
        let place = declaration ?? allocation
        return TestFailure(finding: finding, file: place?.file, line: place?.line ?? 0)
      }
    }
  }
#endif
