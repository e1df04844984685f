#if canImport(Testing) && compiler(>=6.1)
  internal import LiveObjects
  internal import Testing

  /// Whether a test records issues of its own.
  struct OwnIssues: Sendable {
    private let seen = Locked(false)

    var wereRecorded: Bool { seen.withLock { $0 } }

    /// Runs a body, and notices the issues that are recorded in it.
    ///
    /// - Returns: `nil` only if the library treated an error as a known issue.
    func watching<Value>(
      isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value? {
      var value: Value?
      // The matcher gets every issue, and accepts none as a known one.
      try await withKnownIssue(isIntermittent: true) {
        value = try await body()
      } matching: { issue in
        if issue.fails { seen.withLock { $0 = true } }
        return false
      }
      return value
    }
  }

  extension Issue {
    /// Warnings fail nothing.
    fileprivate var fails: Bool {
      #if compiler(>=6.3)
        isFailure
      #else
        true
      #endif
    }
  }
#endif
