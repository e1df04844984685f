#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsCapture
  internal import LiveObjectsReport
  internal import LiveObjectsSymbolication
  internal import TestWatching
  import XCTest
  internal import XCTestSupport

  /// Observes each test, and fails those that leak.
  ///
  /// XCTest calls it on the main thread only, one test after the other. Its work is not recorded, except the
  /// run loop between two scans, and what XCTest and other observers do about a failure: that belongs to the
  /// program.
  final class TestObserver: XCTestObservation {
    private let host: CompanionHost
    /// One for all tests, with a cache of names.
    private let symbolicator = BinarySymbolicator(origin: .ownRun)
    /// The running tests, the innermost last: a test may run others.
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
        _ = TestStopHook.register(for: testCase, handler: checkForLeaks)
      }
    }

    /// Ends a test with a custom class of run, which cannot fail any more: its leaks are in the report only.
    func testCaseDidFinish(_ testCase: XCTestCase) {
      _ = Recorder.ignoring { takeRunning(testCase)?.test.close(testCase.outcome) }
    }

    func testBundleDidFinish(_ testBundle: Bundle) {
      DueWork.wait()
    }

    private func properties(of type: XCTestCase.Type) -> StoredProperties {
      let known = properties[ObjectIdentifier(type)] ?? StoredProperties(of: type)
      properties[ObjectIdentifier(type)] = known
      return known
    }

    /// Ends the test, if that was not done yet.
    ///
    /// - Returns: `nil` if there is nothing to evaluate.
    private func takeRunning(_ testCase: XCTestCase) -> RunningTest? {
      guard running.last?.testCase === testCase, let running = running.popLast() else { return nil }
      let outcome = testCase.outcome
      running.test.end(outcome)
      if outcome == .passed && host.rule.failsTests { return running }
      running.test.close(outcome)
      return nil
    }
  }

  // MARK: - Leak check

  extension TestObserver {
    /// Checks a test for leaks after its teardown, while it may still fail.
    private func checkForLeaks(_ testCase: XCTestCase) {
      guard let running = Recorder.ignoring({ takeRunning(testCase) }) else { return }
      testCase.withFailuresThatEndNothing {
        let check = Recorder.ignoring {
          TestLeakCheck(at: running.test, by: host.rule, namedBy: symbolicator)
        }
        while let pause = Recorder.ignoring({ check.pause() }) { MainLoop.pause(pause) }
        for failure in Recorder.ignoring({ failures(of: running, check) }) { testCase.record(failure) }
      }
    }

    private func failures(of running: RunningTest, _ check: TestLeakCheck) -> [TestFailure] {
      // Its code may have failed meanwhile, from the main queue or another thread.
      let outcome = running.testCase.outcome
      let leaks = outcome == .passed ? check.failures(of: running, namedBy: symbolicator) : []
      let failing = running.test.close(
        outcome, with: leaks.map(\.finding), by: host.rule, isEvaluated: check.isConclusive)
      return leaks.filter { failing.contains($0.finding) }
    }
  }

  extension XCTestCase {
    /// The outcome of a test that has ended.
    fileprivate var outcome: TestDescription.Outcome {
      guard let testRun else { return .failed }
      if testRun.totalFailureCount > 0 { return .failed }
      return testRun.hasBeenSkipped ? .skipped : .passed
    }

    /// Runs a body without the process ending at the first failure, which a test that does not continue after
    /// failures would cause. The main queue runs during the body, which it would not do without LiveObjects.
    fileprivate func withFailuresThatEndNothing(_ body: () -> Void) {
      let continues = continueAfterFailure
      if !continues { continueAfterFailure = true }
      body()
      if !continues { continueAfterFailure = false }
    }

    /// Records a failure with the run: the test case's own method may end the process.
    fileprivate func record(_ failure: TestFailure) {
      (testRun as? XCTestCaseRun)?.recordFailure(
        withDescription: failure.message, inFile: failure.file, atLine: failure.line, expected: true)
    }
  }
#endif
