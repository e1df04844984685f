#if canImport(Testing)
  public import LiveObjects
  public import Testing

  /// Expects that a body leaves no unreachable object behind: no retain cycle, no over-retained
  /// object, no task that is never resumed.
  ///
  /// Every finding is an issue of its own, with the path and the calls that allocated the objects. Reachable
  /// objects, the returned value for instance, fail nothing unless the options say so; leaks of
  /// the toolchain's own libraries never do. Late releases are waited for by blocking the thread.
  ///
  /// The objects of a body that throws are not evaluated. Where tracking fails the expectation fails; on
  /// other systems than Linux it holds, and standard error says once that nothing is watched.
  ///
  /// - Parameters:
  ///   - comment: is added to the first line of every issue.
  ///   - options: what fails, and how to measure.
  ///   - sourceLocation: where issues are recorded; the caller's.
  ///   - body: the code in question.
  /// - Returns: what the body returned; of several runs, the last.
  /// - Throws: the body's own error, unchanged.
  @discardableResult
  public func expectNoLeaks<Value, Failure: Error>(
    _ comment: @autoclosure () -> Comment? = nil,
    options: LiveObjects.LeakOptions = LiveObjects.LeakOptions(),
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let measured = try LiveObjects.measure(options.measuring, pausing: { $0.block() }, body)
    LeakIssues("expectNoLeaks", options, measured).record(at: sourceLocation, comment)
    return measured.value
  }

  /// Expects the same of an asynchronous body, which runs on the caller's actor; late releases are waited for
  /// suspended.
  ///
  /// - Parameters:
  ///   - comment: is added to the first line of every issue.
  ///   - options: what fails, and how to measure.
  ///   - sourceLocation: where issues are recorded; the caller's.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code in question.
  /// - Returns: what the body returned; of several runs, the last.
  /// - Throws: the body's own error, unchanged.
  @discardableResult
  public func expectNoLeaks<Value, Failure: Error>(
    _ comment: @autoclosure () -> Comment? = nil,
    options: LiveObjects.LeakOptions = LiveObjects.LeakOptions(),
    sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let measured = try await LiveObjects.measure(options.measuring, isolation: isolation, body)
    LeakIssues("expectNoLeaks", options, measured).record(at: sourceLocation, comment)
    return measured.value
  }
#endif
