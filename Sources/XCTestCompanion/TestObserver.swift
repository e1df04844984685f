#if canImport(XCTest)
  internal import LiveObjects
  internal import LiveObjectsCapture
  internal import LiveObjectsReport
  internal import MainRunLoop
  internal import TestWatching
  // `stdout` is a mutable global to Swift; flushing it is as safe as any `print`.
  @preconcurrency import Glibc
  import XCTest

  /// Brackets each test, and fails those that left something behind.
  ///
  /// XCTest calls it on the main thread only, one test after the other. All that it does is our own work and not
  /// recorded, but for the run loop that turns between two looks: that is the program's.
  final class TestObserver: XCTestObservation {
    private let host: CompanionHost
    /// Keeps what it has learnt from one test to the next.
    private lazy var symbolicator = BinarySymbolicator(runner: host.runner)
    /// Those that run, the innermost last.
    private var suites: [XCTestSuite] = []
    /// Those that run, the innermost last: a test may run others.
    private var running: [RunningTest] = []
    private var properties: [ObjectIdentifier: StoredProperties] = [:]

    init(_ host: CompanionHost) {
      self.host = host
    }

    func testSuiteWillStart(_ testSuite: XCTestSuite) {
      Recorder.ignoring { suites.append(testSuite) }
    }

    func testSuiteDidFinish(_ testSuite: XCTestSuite) {
      Recorder.ignoring { _ = suites.popLast() }
    }

    func testCaseWillStart(_ testCase: XCTestCase) {
      Recorder.ignoring {
        let running = RunningTest(testCase, properties(of: type(of: testCase)))
        // The first block that is added is the last that runs, just before `tearDown`.
        testCase.addTeardownBlock { running.noteProperties() }
        self.running.append(running)
      }
    }

    func testCaseDidFinish(_ testCase: XCTestCase) {
      guard let running = Recorder.ignoring({ takeRunning(testCase) }) else { return }
      let late = Recorder.ignoring { LateFailures(of: testCase) }
      let looks = Recorder.ignoring { Looks(at: running.test, failOn: host.failOn) }
      while let pause = Recorder.ignoring({ looks.pause() }) { MainLoop.pause(pause) }
      Recorder.ignoring {
        if late?.end() != true { return fail(running, looks) }
        running.test.end(.failed)
        count(testCase)
      }
    }

    private func properties(of type: XCTestCase.Type) -> StoredProperties {
      let known = properties[ObjectIdentifier(type)] ?? StoredProperties(of: type)
      properties[ObjectIdentifier(type)] = known
      return known
    }

    /// Ends the test.
    ///
    /// - Returns: `nil` if there is nothing to judge.
    private func takeRunning(_ testCase: XCTestCase) -> RunningTest? {
      guard running.last?.testCase === testCase, let running = running.popLast() else { return nil }
      let outcome = testCase.outcome
      running.test.end(outcome)
      return outcome == .passed && host.failOn != .none ? running : nil
    }

    private func fail(_ running: RunningTest, _ looks: Looks) {
      let failures = looks.failures(of: running, namedBy: symbolicator)
      guard !failures.isEmpty else { return }
      running.test.end(.leaked)
      for failure in failures { record(failure, running.testCase) }
    }

    /// As XCTest records a failure: a line on standard output, and one more in the counts.
    private func record(_ failure: TestFailure, _ testCase: XCTestCase) {
      print("\(failure.location): error: \(testCase.name) : \(failure.message)")
      fflush(stdout)
      count(testCase)
    }

    /// One more failure of the suite.
    private func count(_ testCase: XCTestCase) {
      (suites.last?.testRun as? XCTestSuiteRun)?.addTestRun(LeakRun(test: testCase))
    }
  }

  extension XCTestCase {
    /// What became of a test that has finished.
    fileprivate var outcome: TestDescription.Outcome {
      guard let testRun else { return .failed }
      if testRun.totalFailureCount > 0 { return .failed }
      return testRun.hasBeenSkipped ? .skipped : .passed
    }
  }
#endif
