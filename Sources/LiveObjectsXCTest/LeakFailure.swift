#if canImport(XCTest)
  internal import CLiveObjectsStart
  internal import LeakAssertions
  internal import LiveObjects
  internal import XCTest

  /// The failure of one assertion.
  struct LeakFailure {
    private let text: String
    private let failure: AssertionFailure

    /// - Parameter message: the user's message; empty for none.
    init(_ assertion: String, _ failure: AssertionFailure, _ message: String = "") {
      text = failure.text(of: assertion, message)
      self.failure = failure
    }

    /// Fails the test that runs: one of XCTest, else one of Swift Testing, else the process.
    func record(_ file: StaticString, _ line: UInt) {
      if failure.concernsObject { Recorder.markTestLeaked(failure.leak.map { [$0] } ?? []) }
      #if os(Linux)
        guard !RunningTests.isEmpty else { return recordElsewhere("\(file)", Int(line)) }
      #endif
      XCTFail(text, file: file, line: line)
    }

    /// XCTest drops what fails while it runs no test.
    private func recordElsewhere(_ file: String, _ line: Int) {
      let text = text + "\n  note: this assertion is for tests of XCTest, and none runs here"
      if !liveobj_fail_in_testing(text, file, line) { liveobj_fail_process(text, file, line) }
    }
  }
#endif
