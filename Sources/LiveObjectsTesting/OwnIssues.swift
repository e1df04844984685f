#if canImport(Testing) && compiler(>=6.1)
  internal import LiveObjects
  internal import Testing

  /// Whether a test records issues of its own.
  struct OwnIssues: Sendable {
    private let seen = Locked(false)

    var wereRecorded: Bool { seen.withLock { $0 } }

    /// Runs a body, and notices the issues that are recorded in it.
    ///
    /// - Throws: the body's own error. The library's own function returns normally after a failed `#require`.
    func watching<Value>(
      isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
      var outcome: Result<Value, any Error>?
      // The matcher gets every issue, and accepts none as a known one.
      try await withKnownIssue(isIntermittent: true) {
        do {
          outcome = .success(try await body())
        } catch {
          outcome = .failure(error)
          throw error
        }
      } matching: { issue in
        if issue.fails { seen.withLock { $0 = true } }
        return false
      }
      guard let outcome else { preconditionFailure("the body has not run") }
      return try outcome.get()
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
