#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsReport
  internal import TestWatching

  /// The looks at one test that left something behind: at once, and again when it has settled, unless the first
  /// look shows nothing that may settle.
  final class Looks {
    private let test: WatchedTest
    private let failOn: FailOn
    private let budget: LookBudget
    private var settling = Settling()
    /// `nil` where nothing can be told.
    private var last: TestLook?
    /// All that the last look shows is told, and not only its certain leaks.
    private var isWhole = true
    /// Nothing was left behind, or variables hold it.
    private var isNothingOpen = false
    private var isSettled = true
    private var isWaiting = false

    init(
      at test: WatchedTest, failOn: FailOn, within budget: LookBudget,
      namedBy symbolicator: BinarySymbolicator
    ) {
      self.test = test
      self.failOn = failOn
      self.budget = budget
      // A look with references is dear, and most tests leave nothing behind.
      guard let survivors = try? test.survivors() else { return }
      isNothingOpen =
        survivors.isEmpty || (failOn == .leaks && budget.showsVariablesHold(survivors, leftBy: test))
      if isNothingOpen { return }
      last = budget.look(at: test, failOn: failOn)
      isSettled = last.map { !$0.maySettle(namedBy: symbolicator) } ?? true
      if last == nil { lookForCycles() }
    }

    /// All that the test left behind was evaluated, so that nothing is left to the report.
    var areConclusive: Bool { isNothingOpen || (isWhole && last?.isConclusive == true) }

    private func lookForCycles() {
      isWhole = false
      switch TestLook.cycles(of: test, failOn: failOn) {
      case .none: break
      case .shown(let look): last = look
      case .open(let look): last = look
      }
    }

    /// How long to wait before this is asked again; `nil` when the last look counts.
    func pause() -> Duration? {
      guard !isSettled else { return nil }
      let survivors = try? test.survivors()
      if let survivors, let pause = settling.pause(after: survivors) {
        if !isWaiting { budget.beginWait() }
        isWaiting = true
        return pause
      }
      isSettled = true
      if let survivors, let last, last.stands(with: survivors) { return nil }
      last = budget.look(at: test, failOn: failOn, waits: true)
      if last == nil { lookForCycles() }
      return nil
    }
  }

  // MARK: - Failures

  /// What XCTest is told of one finding.
  struct TestFailure {
    var finding: Finding
    /// `nil` where the place is not known; its line is 0 then, as XCTest has it.
    var file: String?
    var line: Int

    var message: String { "\(FindingText(finding))" }
  }

  extension Looks {
    func failures(of running: RunningTest, namedBy symbolicator: BinarySymbolicator) -> [TestFailure] {
      guard let last, last.hasSuspects else { return [] }
      let entry = last.entry(
        of: running.testCase.methodNames, near: running.testCase.classAddress, namedBy: symbolicator)
      let findings = last.failures(
        namedBy: symbolicator, certainOnly: !isWhole, cleared: running.clearedProperties, beside: entry)
      let declaration = entry.flatMap { last.declaration(at: $0, namedBy: symbolicator) }
      return findings.map { finding in
        // Optimised methods that look alike are merged, and have no place of their own.
        let made = finding.allocatedAt.first?.frames.first { $0.isUsers && $0.line != nil }
        let place = declaration ?? made
        return TestFailure(finding: finding, file: place?.file, line: place?.line ?? 0)
      }
    }
  }
#endif
