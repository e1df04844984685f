#if canImport(Testing) && compiler(>=6.1)
  internal import LeakAssertions
  public import LiveObjects
  public import Testing

  /// A trait: a test fails that leaves unreachable objects behind.
  ///
  /// On a suite it holds for every test inside; each case of a parameterised test is evaluated separately,
  /// also while others run. A test that fails otherwise, throws or is cancelled is not evaluated: its teardown
  /// may be unfinished. Nor is one with an issue that an outer trait filters, downgrades or declares known. Objects
  /// of dispatch queues and threads cannot be attributed to a test, and are not evaluated while tests run in parallel.
  public struct LeakDetection: TestTrait, SuiteTrait, TestScoping {
    private let comment: Comment?
    private let options: LiveObjects.LeakOptions

    init(_ comment: Comment?, _ options: LiveObjects.LeakOptions) {
      self.comment = comment
      self.options = options
    }

    public var isRecursive: Bool { true }

    /// Runs a case of a test, waits for late releases suspended, and records an issue at the test for
    /// everything that fails.
    ///
    /// - Throws: what the test throws, unchanged.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await function() }
      let issues = OwnIssues()
      let measured = try await issues.watching {
        try await LiveObjects.measure(options.measuring, isolation: #isolation, function)
      }
      guard !issues.wereRecorded, !Task.isCancelled else { return }
      LeakIssues("detectsLeaks", options, measured).record(at: test.sourceLocation) { comment }
    }
  }

  extension Trait where Self == LeakDetection {
    /// A test fails that leaves retain cycles, over-retained objects or tasks that are never resumed behind.
    public static var detectsLeaks: Self { detectsLeaks() }

    /// A test fails that leaves something behind.
    ///
    /// - Parameters:
    ///   - comment: is added to the first line of every issue.
    ///   - options: the failures and the measurement; they set how often the test runs.
    public static func detectsLeaks(
      _ comment: Comment? = nil, options: LiveObjects.LeakOptions = LiveObjects.LeakOptions()
    ) -> Self { Self(comment, options) }
  }
#endif
