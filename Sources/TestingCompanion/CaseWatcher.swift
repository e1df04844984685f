#if canImport(Testing)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsCapture
  internal import LiveObjectsReport
  internal import LiveObjectsSymbolication
  internal import TestWatching
  internal import Testing

  /// Observes each test case, and records an issue in those that leak.
  ///
  /// Called on the task that runs the case, while `Test.current` is bound. Other cases run meanwhile, on the
  /// other threads of the pool: nothing here waits for any of them, or for late releases.
  /// Its work is not recorded, except the code of the program that it calls: descriptions of arguments, and
  /// handlers of issues.
  final class CaseWatcher: Sendable {
    static let shared = CaseWatcher()

    private let host = Locked<CompanionHost?>(nil)
    /// The running cases, by their scopes.
    private let running = Locked<[UInt32: WatchedTest]>([:])
    /// One for all cases, with a cache of names.
    private let symbolicator = Locked<BinarySymbolicator?>(nil)

    func start(_ host: CompanionHost) {
      self.host.withLock { $0 = host }
      symbolicator.withLock { $0 = BinarySymbolicator(origin: .ownRun) }
    }

    /// - Returns: the scope of the test case that begins here; 0 if none does.
    func begin() -> UInt32 {
      guard let testCase = Test.Case.current, let test = Test.current else { return 0 }
      let arguments = testCase.argumentsText
      return Recorder.ignoring {
        var test = TestDescription(id: "\(test.id)", at: test.sourceLocation, arguments: arguments)
        test.scope = Recorder.makeScope()
        let (scope, watched) = (test.scope, WatchedTest(beginning: test))
        running.withLock { $0[scope] = watched }
        return scope
      }
    }

    func end(_ scope: UInt32, hasFailed: Bool) {
      let outcome: TestDescription.Outcome = hasFailed ? .failed : Task.isCancelled ? .skipped : .passed
      let messages = Recorder.ignoring { checkForLeaks(scope, outcome) }
      guard let place = Test.current?.sourceLocation else { return }
      for message in messages { Issue.record(message, sourceLocation: place) }
    }
  }

  // MARK: - Leak check

  extension CaseWatcher {
    /// - Returns: the text of each issue.
    private func checkForLeaks(_ scope: UInt32, _ outcome: TestDescription.Outcome) -> [Comment] {
      guard let test = running.withLock({ $0.removeValue(forKey: scope) }),
        let host = host.withLock({ $0 })
      else { return [] }
      // Neither a test that failed nor one that was cancelled has cleaned up after itself.
      test.end(outcome)
      let isEvaluated = outcome == .passed && host.rule.failsTests
      let leaks = isEvaluated ? certainLeaks(of: test, host) : []
      // Other findings are in the report only.
      let failures = test.close(outcome, with: leaks, by: host.rule, isEvaluated: false)
      return failures.map { Comment(rawValue: "LiveObjects: \(FindingText($0))") }
    }

    private func scan(at test: WatchedTest, _ host: CompanionHost) -> TestHeapAnalysis? {
      let (analysis, isConclusive) = TestHeapAnalysis.cycles(of: test, by: host.rule)
      if isConclusive { return analysis }
      return TestHeapAnalysis.scan(of: test, leaving: nil, by: host.rule).analysis ?? analysis
    }

    /// The leaks that are certain now. The rest is evaluated in the report at the end.
    private func certainLeaks(of test: WatchedTest, _ host: CompanionHost) -> [Finding] {
      guard let analysis = scan(at: test, host), analysis.hasCertainLeak else { return [] }
      return symbolicator.withLock { symbolicator in
        symbolicator.map { analysis.leaks(namedBy: $0, certainOnly: true) } ?? []
      }
    }
  }
#endif
