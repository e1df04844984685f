#if canImport(Testing)
  internal import LiveObjects
  internal import Testing

  /// What one failing assertion says.
  struct LeakIssue {
    private let text: String

    init(_ assertion: String, _ text: String) {
      self.text = "\(assertion): \(text)"
    }

    /// Fails the test that runs.
    ///
    /// - Parameter comment: the user's own.
    func record(_ comment: Comment? = nil, at location: SourceLocation) {
      Recorder.markTestLeaked()
      let addition = comment.map { "\n  \($0.rawValue)" } ?? ""
      Issue.record(Comment(rawValue: text + addition), sourceLocation: location)
    }
  }
#endif
