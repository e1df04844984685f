#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsReport
  internal import LiveObjectsSymbolication
  internal import TestWatching

  /// The leak check of one test: one at its end, and another one when its objects have settled, if the first has
  /// failures that may still be released.
  final class TestLeakCheck {
    private let test: WatchedTest
    private let rule: FailureRule
    private var settling = Settling()
    /// `nil` without a result.
    private var last: TestHeapAnalysis?
    /// Whether all objects are known to leak, or none was left behind.
    private var isDecided = false
    private var isSettled = true

    init(at test: WatchedTest, by rule: FailureRule, namedBy symbolicator: BinarySymbolicator) {
      self.test = test
      self.rule = rule
      // Most tests leave no object behind, and most that leak leave nothing but cycles: neither needs a scan of the
      // whole heap, which has the same result.
      guard let survivors = try? test.survivors() else { return }
      isDecided = survivors.isEmpty
      if isDecided { return }
      if TestHeapAnalysis.isHeapLarge { last = cycles }
      isDecided = last?.explains(survivors) ?? false
      if isDecided { return }
      scan(survivors)
      isSettled = last.map { !$0.maySettle(namedBy: symbolicator) } ?? true
    }

    /// Whether all objects that the test left behind were evaluated.
    var isConclusive: Bool { isDecided || last?.isConclusive == true }

    private var cycles: TestHeapAnalysis? { TestHeapAnalysis.cycles(of: test, by: rule).analysis }

    /// Evaluates the whole heap, as far as it makes a difference.
    private func scan(_ survivors: [Recorder.Instance]?) {
      let (analysis, isHeld) = TestHeapAnalysis.scan(of: test, leaving: survivors, by: rule)
      last = isHeld ? nil : analysis ?? last ?? cycles
      isDecided = isHeld
    }

    /// The time to wait before the next call; `nil` when the last analysis is final.
    func pause() -> Duration? {
      guard !isSettled else { return nil }
      let survivors = try? test.survivors()
      let objects = survivors?.filter { !$0.isBuffer }.map(\.identity)
      if let pause = objects.flatMap({ settling.pause(after: $0) }) { return pause }
      isSettled = true
      if let survivors, let last, last.isValid(for: survivors) { return nil }
      last = nil
      scan(survivors)
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
      let findings = last.leaks(
        namedBy: symbolicator, cleared: running.clearedProperties, symbolicating: entry)
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
