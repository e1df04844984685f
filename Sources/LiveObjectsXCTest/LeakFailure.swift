#if canImport(XCTest)
  internal import LeakAssertions
  internal import LiveObjects
  internal import XCTest

  /// What one failing assertion says.
  struct LeakFailure {
    private let text: String
    private let isOfObject: Bool

    /// - Parameter message: the user's own; empty for none.
    init(_ assertion: String, _ failure: AssertionFailure, _ message: String = "") {
      text = failure.text(of: assertion, message)
      isOfObject = failure.isOfObject
    }

    /// Fails the test that runs.
    func record(_ file: StaticString, _ line: UInt) {
      if isOfObject { Recorder.markTestLeaked() }
      XCTFail(text, file: file, line: line)
    }
  }
#endif
