#if canImport(XCTest)
  internal import LeakAssertions
  public import LiveObjects
  internal import XCTest
  internal import XCTestSupport

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Asserts that a body leaves no unreachable object behind: no retain cycle, no over-retained
  /// object, no task that is never resumed.
  ///
  /// Every finding is a failure of its own, with the path and the calls that allocated the objects. Reachable
  /// objects, the returned value for instance, fail nothing unless the options say so; leaks of
  /// the toolchain's own libraries never do. Late releases are waited for, on the main thread with the main
  /// run loop running.
  ///
  /// While two assertions run at the same time, objects of dispatch queues and threads cannot be attributed to one, and
  /// are not evaluated. The objects of a body that throws are not evaluated. Where tracking fails the assertion fails; on other
  /// systems than Linux it passes, and standard error says once that nothing is watched.
  ///
  /// - Parameters:
  ///   - message: is added to the first line of every failure.
  ///   - options: what fails, and how to measure.
  ///   - file: the file that failures are shown in; the caller's.
  ///   - line: the line that failures are shown at; the caller's.
  ///   - body: the code in question.
  /// - Returns: what the body returned; of several runs, the last.
  /// - Throws: the body's own error, unchanged.
  @discardableResult
  public func XCTAssertNoLeaks<Value, Failure: Error>(
    _ message: @autoclosure () -> String = "", options: LiveObjects.LeakOptions = LiveObjects.LeakOptions(),
    file: StaticString = #filePath, line: UInt = #line, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let measured = try LiveObjects.measure(options.measuring, pausing: MainLoop.pause, body)
    for failure in LeakCheck(options).failures(of: measured.diff) {
      LeakFailure("XCTAssertNoLeaks", failure, message()).record(file, line)
    }
    return measured.value
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Asserts the same of an asynchronous body, which runs on the caller's actor; late releases are waited for
  /// suspended.
  ///
  /// - Parameters:
  ///   - message: is added to the first line of every failure.
  ///   - options: what fails, and how to measure.
  ///   - file: the file that failures are shown in; the caller's.
  ///   - line: the line that failures are shown at; the caller's.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code in question.
  /// - Returns: what the body returned; of several runs, the last.
  /// - Throws: the body's own error, unchanged.
  @discardableResult
  public func XCTAssertNoLeaks<Value, Failure: Error>(
    _ message: @autoclosure () -> String = "", options: LiveObjects.LeakOptions = LiveObjects.LeakOptions(),
    file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let measured = try await LiveObjects.measure(options.measuring, isolation: isolation, body)
    for failure in LeakCheck(options).failures(of: measured.diff) {
      LeakFailure("XCTAssertNoLeaks", failure, message()).record(file, line)
    }
    return measured.value
  }
#endif
