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
      symbolicator.withLock { $0 = BinarySymbolicator(origin: .ownRun) }
    }

    /// - Returns: the scope of the test case that begins here; 0 if none does.
    func begin() -> UInt32 {
      guard let testCase = Test.Case.current, let test = Test.current else { return 0 }
      let arguments = testCase.argumentsText
      return Recorder.ignoring {
        begin(TestDescription(id: "\(test.id)", at: test.sourceLocation, arguments: arguments))
      }
    }

    /// A test case begins. Call inside `Recorder.ignoring`.
    ///
    /// - Parameter test: without its scope.
    /// - Returns: its scope.
    func begin(_ test: TestDescription) -> UInt32 {
      var test = test
      test.scope = Recorder.makeScope()
      let watched = WatchedTest(beginning: test)
      running.withLock { $0[test.scope] = watched }
      return test.scope
    }

    /// The scope of a test case that runs, by the recorder's number of it.
    func scope(of test: UInt32) -> UInt32? {
      guard test != 0 else { return nil }
      return running.withLock { running in running.first { $0.value.number == test }?.key }
    }

    func end(_ scope: UInt32, hasFailed: Bool) {
      let outcome: TestDescription.Outcome = hasFailed ? .failed : Task.isCancelled ? .skipped : .passed
      end(scope, outcome, at: Test.current?.sourceLocation)
    }

    /// A test case ends.
    ///
    /// - Parameters:
    ///   - place: where its issues stand.
    ///   - remark: what they say beside the leak.
    func end(
      _ scope: UInt32, _ outcome: TestDescription.Outcome, at place: SourceLocation?, remark: String? = nil
    ) {
      let messages = Recorder.ignoring { judge(scope, outcome, remark) }
      guard let place else { return }
      for message in messages { Issue.record(message, sourceLocation: place) }
    }
  }

  // MARK: - What a case left behind

  extension CaseWatcher {
    /// - Returns: what its issues say.
    private func judge(_ scope: UInt32, _ outcome: TestDescription.Outcome, _ remark: String?) -> [Comment] {
      guard let test = running.withLock({ $0.removeValue(forKey: scope) }),
        let host = host.withLock({ $0 })
      else { return [] }
      // Neither a test that failed nor one that was cancelled has cleaned up after itself.
      test.end(outcome)
      let isJudged = outcome == .passed && host.failOn != .none
      let leaks = isJudged ? certainLeaks(of: test, host) : []
      // What is no certain leak is left to the report.
      test.close(outcome, failingWith: leaks, isEvaluated: false)
      return leaks.map { leak in
        var leak = leak
        leak.remarks += [remark].compactMap(\.self)
        return Comment(rawValue: FindingText(leak).description)
      }
    }

    private func look(at test: WatchedTest, _ host: CompanionHost) -> TestLook? {
      switch TestLook.cycles(of: test, failOn: host.failOn) {
      case .none: nil
      case .shown(let look): look
      case .open(let look): budget.look(at: test, failOn: host.failOn) ?? look
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
