#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsCapture
  internal import LiveObjectsReport
  internal import MainRunLoop
  internal import TestWatching
  import XCTest
  internal import XCTestEnd

  /// Brackets each test, and fails those that left something behind.
  ///
  /// XCTest calls it on the main thread only, one test after the other. All that it does is our own work and not
  /// recorded, but for the run loop that turns between two looks, and for what XCTest and other observers do about
  /// a failure: that is the program's.
  final class TestObserver: XCTestObservation {
    private let host: CompanionHost
    private let budget = LookBudget()
    /// Keeps what it has learnt from one test to the next.
    private let symbolicator = BinarySymbolicator(origin: .ownRun)
    /// Those that run, the innermost last: a test may run others.
    private var running: [RunningTest] = []
    private var properties: [ObjectIdentifier: StoredProperties] = [:]

    init(_ host: CompanionHost) {
      self.host = host
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      Recorder.ignoring {
        let running = RunningTest(testCase, properties(of: type(of: testCase)))
        // The first block that is added is the last that runs, just before `tearDown`.
        testCase.addTeardownBlock { running.noteProperties() }
        self.running.append(running)
        _ = LastWord.ask(of: testCase, judge)
      }
    }

    /// A test whose run is of a class of the program's own ends here, when it can fail no more: what it left behind
    /// is for the report to tell.
    func testCaseDidFinish(_ testCase: XCTestCase) {
      Recorder.ignoring { takeRunning(testCase)?.test.close(testCase.outcome, isEvaluated: false) }
    }

    private func properties(of type: XCTestCase.Type) -> StoredProperties {
      let known = properties[ObjectIdentifier(type)] ?? StoredProperties(of: type)
      properties[ObjectIdentifier(type)] = known
      return known
    }

    /// Ends the test, if that was not done yet.
    ///
    /// - Returns: `nil` if there is nothing to judge.
    private func takeRunning(_ testCase: XCTestCase) -> RunningTest? {
      guard running.last?.testCase === testCase, let running = running.popLast() else { return nil }
      let outcome = testCase.outcome
      running.test.end(outcome)
      if outcome == .passed && host.failOn != .none { return running }
      running.test.close(outcome, isEvaluated: false)
      return nil
    }
  }

  // MARK: - Judging

  extension TestObserver {
    /// The teardown of a test is over, and the test may still fail.
    private func judge(_ testCase: XCTestCase) {
      guard let running = Recorder.ignoring({ takeRunning(testCase) }) else { return }
      testCase.withFailuresThatEndNothing {
        let looks = Recorder.ignoring {
          Looks(at: running.test, failOn: host.failOn, within: budget, namedBy: symbolicator)
        }
        while let pause = Recorder.ignoring({ looks.pause() }) { MainLoop.pause(pause) }
        for failure in Recorder.ignoring({ failures(of: running, looks) }) { testCase.record(failure) }
      }
    }

    private func failures(of running: RunningTest, _ looks: Looks) -> [TestFailure] {
      // Its code may have failed meanwhile, from the main queue or another thread.
      let outcome = running.testCase.outcome
      let failures = outcome == .passed ? looks.failures(of: running, namedBy: symbolicator) : []
      running.test.close(outcome, failingWith: failures.map(\.finding), isEvaluated: looks.areConclusive)
      return failures
    }
  }

  extension XCTestCase {
    /// What became of a test that is over.
    fileprivate var outcome: TestDescription.Outcome {
      guard let testRun else { return .failed }
      if testRun.totalFailureCount > 0 { return .failed }
      return testRun.hasBeenSkipped ? .skipped : .passed
    }

    /// A test that shall not go on after a failure ends the process with its first one. While it is judged time passes
    /// and its main queue is served, which would not be so without us.
    fileprivate func withFailuresThatEndNothing(_ body: () -> Void) {
      let continues = continueAfterFailure
      if !continues { continueAfterFailure = true }
      body()
      if !continues { continueAfterFailure = false }
    }

    /// Told to the run: to fail by the test case's own method may end the process.
    fileprivate func record(_ failure: TestFailure) {
      (testRun as? XCTestCaseRun)?.recordFailure(
        withDescription: failure.message, inFile: failure.file, atLine: failure.line, expected: true)
    }
  }
#endif
