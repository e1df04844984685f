#if canImport(Testing)
  internal import LiveObjects
  internal import LiveObjectsAnalysis
  internal import LiveObjectsCapture
  internal import LiveObjectsReport
  internal import TestWatching
  internal import Testing

  /// Brackets each test case, and records an issue in those that leak.
  ///
  /// Called on the task that runs the case, while `Test.current` is bound. Other cases run meanwhile, on the other
  /// threads of the pool: nothing here waits for any of them, and nothing waits for what may still be released.
  /// What it does is our own work and not recorded, but for the code of the program that it calls: descriptions of
  /// arguments, and what handles an issue.
  final class CaseWatcher: Sendable {
    static let shared = CaseWatcher()

    private let host = Locked<CompanionHost?>(nil)
    private let budget = LookBudget()
    /// The cases that run, by their scopes.
    private let running = Locked<[UInt32: WatchedTest]>([:])
    /// One for all, since it remembers what it has found out.
    private let symbolicator = Locked<BinarySymbolicator?>(nil)

    func start(_ host: CompanionHost) {
      self.host.withLock { $0 = host }
      symbolicator.withLock { $0 = BinarySymbolicator(runner: host.runner) }
    }

    /// - Returns: the scope of the test case that begins here; 0 if none does.
    func begin() -> UInt32 {
      guard let testCase = Test.Case.current, let test = Test.current else { return 0 }
      let arguments = testCase.argumentsText
      return Recorder.ignoring {
        let scope = Recorder.makeScope()
        let watched = WatchedTest(beginning: TestDescription(of: test, arguments: arguments, scope: scope))
        running.withLock { $0[scope] = watched }
        return scope
      }
    }

    func end(_ scope: UInt32, hasFailed: Bool) {
      let messages = Recorder.ignoring { judge(scope, hasFailed: hasFailed) }
      guard let place = Test.current?.sourceLocation else { return }
      for message in messages { Issue.record(message, sourceLocation: place) }
    }
  }

  // MARK: - What a case left behind

  extension CaseWatcher {
    /// - Returns: what its issues say.
    private func judge(_ scope: UInt32, hasFailed: Bool) -> [Comment] {
      guard let test = running.withLock({ $0.removeValue(forKey: scope) }),
        let host = host.withLock({ $0 })
      else { return [] }
      // Neither a test that failed nor one that was cancelled has cleaned up after itself.
      let outcome: TestDescription.Outcome = hasFailed ? .failed : Task.isCancelled ? .skipped : .passed
      test.end(outcome)
      guard outcome == .passed, host.failOn != .none else { return [] }
      let leaks = certainLeaks(of: test, host)
      if !leaks.isEmpty { test.end(.leaked) }
      return leaks.map { Comment(rawValue: FindingText($0).description) }
    }

    private func look(at test: WatchedTest, _ host: CompanionHost) -> TestLook? {
      switch TestLook.cycles(of: test, failOn: host.failOn) {
      case .none: nil
      case .shown(let look): look
      case .open: budget.look(at: test, failOn: host.failOn)
      }
    }

    /// What can be told at once. The rest is judged in the report at the end.
    private func certainLeaks(of test: WatchedTest, _ host: CompanionHost) -> [Finding] {
      guard let look = look(at: test, host), look.hasCertainLeak else { return [] }
      return symbolicator.withLock { symbolicator in
        symbolicator.map { look.failures(namedBy: $0, certainOnly: true) } ?? []
      }
    }
  }
#endif
