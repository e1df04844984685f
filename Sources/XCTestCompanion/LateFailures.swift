#if canImport(XCTest)
  internal import LiveObjects
  // `stdout` is a mutable global to Swift; flushing it is as safe as any `print`.
  @preconcurrency import Glibc
  import XCTest

  /// What the code of a finished test still fails while the test is judged.
  ///
  /// XCTest ends the process when a test fails that has finished. Without us there is hardly a moment for that: no
  /// run loop runs then, and what other threads fail falls to the next test. While a test is judged that moment
  /// lasts, and the main run loop may run. So its run becomes an instance of a subclass meanwhile.
  struct LateFailures {
    private let testCase: XCTestCase
    private let run: XCTestCaseRun
    private let continuesAfterFailure: Bool

    /// From now on, failures are told and counted.
    ///
    /// - Returns: `nil` where the test's run is of a class of the program's own.
    init?(of testCase: XCTestCase) {
      guard let run = testCase.testRun as? XCTestCaseRun, type(of: run) == XCTestCaseRun.self else {
        return nil
      }
      self.testCase = testCase
      self.run = run
      continuesAfterFailure = testCase.continueAfterFailure
      if !continuesAfterFailure { testCase.continueAfterFailure = true }
      changeClass(of: run, to: LateFailureRun.self)
    }

    /// The test is judged.
    ///
    /// - Returns: whether it has failed meanwhile.
    func end() -> Bool {
      changeClass(of: run, to: XCTestCaseRun.self)
      if !continuesAfterFailure { testCase.continueAfterFailure = false }
      return LateFailureRun.failed.withLock { $0.remove(ObjectIdentifier(run)) } != nil
    }
  }

  /// Adds nothing that is stored. Any thread may fail it.
  private final class LateFailureRun: XCTestCaseRun {
    static let failed = Locked<Set<ObjectIdentifier>>([])

    override func recordFailure(
      withDescription description: String, inFile filePath: String?, atLine lineNumber: Int, expected: Bool
    ) {
      Recorder.ignoring {
        Self.failed.withLock { _ = $0.insert(ObjectIdentifier(self)) }
        print("\(filePath ?? "<unknown>"):\(lineNumber): error: \(test.name) : \(description)")
        fflush(stdout)
      }
    }
  }
#endif
