#if canImport(Testing)
  internal import LeakAssertions
  internal import LiveObjects
  public import Testing

  /// Expects that an object is deallocated soon after its creator has released it.
  ///
  /// The object is held weakly, and checked at once and then at growing intervals until the time is up; the
  /// thread is blocked meanwhile. The issue says what keeps the object alive: the retain cycle it is part of,
  /// or the path to it from its holder.
  ///
  /// ```swift
  /// expectDeallocated {
  ///   let loader = Loader(client: ClientSpy())
  ///   loader.load()
  ///   return loader
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - comment: is added to the first line of the issue.
  ///   - timeout: how long the object may take.
  ///   - sourceLocation: where the issue is recorded; the caller's.
  ///   - make: creates the object. If it returns `nil` the expectation fails: no object was watched.
  /// - Throws: the closure's own error, unchanged; nothing is expected then.
  public func expectDeallocated<Failure: Error>(
    _ comment: @autoclosure () -> Comment? = nil, timeout: Duration = .seconds(1),
    sourceLocation: SourceLocation = #_sourceLocation, _ make: () throws(Failure) -> AnyObject?
  ) throws(Failure) {
    let scope = WorkScope()
    let make = { () throws(Failure) in try scope.run(make) }
    let failure = try Deallocation.failure(within: timeout, pausing: { $0.block() }, of: make)
    LeakIssues(failure, in: scope).record(at: sourceLocation, comment)
  }

  /// Expects that an object with an asynchronous life is deallocated: created, awaited, dismissed.
  ///
  /// The closure runs on the caller's actor, and the expectation waits suspended.
  ///
  /// - Parameters:
  ///   - comment: is added to the first line of the issue.
  ///   - timeout: how long the object may take.
  ///   - sourceLocation: where the issue is recorded; the caller's.
  ///   - isolation: the actor to run on; the caller's.
  ///   - make: creates the object. If it returns `nil` the expectation fails: no object was watched.
  /// - Throws: the closure's own error, unchanged; nothing is expected then.
  public func expectDeallocated<Failure: Error>(
    _ comment: @autoclosure () -> Comment? = nil, timeout: Duration = .seconds(1),
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) {
    let scope = WorkScope()
    let failure = try await Deallocation.failure(
      within: timeout, in: scope, isolation: isolation, of: make)
    LeakIssues(failure, in: scope).record(at: sourceLocation, comment)
  }

  extension LeakIssues {
    fileprivate init(_ failure: AssertionFailure?, in scope: WorkScope) {
      self.init("expectDeallocated", failure.map { [$0] } ?? [], in: scope.id) {
        Deallocation.isComplete(for: scope.id)
      }
    }
  }
#endif
