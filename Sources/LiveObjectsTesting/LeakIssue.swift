#if canImport(Testing)
  internal import LeakAssertions
  internal import LiveObjects
  internal import Testing

  /// What one failing assertion says.
  struct LeakIssue {
    private let text: String
    private let isOfObject: Bool

    init(_ assertion: String, _ failure: AssertionFailure) {
      text = "\(assertion): \(failure.text)"
      isOfObject = failure.isOfObject
    }

    /// Fails the test that runs.
    ///
    /// - Parameter comment: the user's own.
    func record(_ comment: Comment? = nil, at location: SourceLocation) {
      if isOfObject { Recorder.markTestLeaked() }
      let addition = comment.map { "\n  \($0.rawValue)" } ?? ""
      Issue.record(Comment(rawValue: text + addition), sourceLocation: location)
    }
  }
#endif
