#if canImport(Testing)
  internal import LeakAssertions
  internal import LiveObjects
  internal import Testing

  /// What one failing assertion says.
  struct LeakIssue {
    private let text: Comment
    private let failure: AssertionFailure

    /// - Parameter comment: the user's own.
    init(_ assertion: String, _ failure: AssertionFailure, _ comment: Comment?) {
      text = Comment(rawValue: failure.text(of: assertion, comment?.rawValue ?? ""))
      self.failure = failure
    }

    /// Fails the test that runs, unless it expects just that.
    func record(at location: SourceLocation) {
      if failure.isOfObject { Recorder.markTestLeaked() }
      if let finding = failure.finding { ToldLeaks.current?.add(finding) }
      Issue.record(text, sourceLocation: location)
    }
  }
#endif
