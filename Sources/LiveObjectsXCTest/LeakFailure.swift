#if canImport(XCTest)
  internal import LiveObjects
  internal import XCTest

  /// What one failing assertion says.
  struct LeakFailure {
    private let text: String

    /// - Parameter message: the user's own; empty for none.
    init(_ assertion: String, _ text: String, _ message: String = "") {
      self.text = "\(assertion): \(text)" + (message.isEmpty ? "" : "\n  \(message)")
    }

    /// Fails the test that runs.
    func record(_ file: StaticString, _ line: UInt) {
      Recorder.markTestLeaked()
      XCTFail(text, file: file, line: line)
    }
  }
#endif
