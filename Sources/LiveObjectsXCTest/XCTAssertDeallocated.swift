#if canImport(XCTest)
  internal import LeakAssertions
  internal import LiveObjects
  internal import XCTest
  internal import XCTestSupport

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Asserts that an object is deallocated soon after its creator has released it.
  ///
  /// The object is held weakly, and checked at once and then at growing intervals until the time is up; on
  /// the main thread the main run loop runs meanwhile. In an asynchronous test on the main actor the main queue does
  /// not: make the closure asynchronous there. The failure says what keeps the object alive: the retain cycle it is
  /// part of, or the path to it from its holder.
  ///
  /// ```swift
  /// XCTAssertDeallocated {
  ///   let loader = Loader(client: Client())
  ///   loader.load { _ in }
  ///   return loader
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - message: is added to the first line of the failure.
  ///   - timeout: how long the object may take.
  ///   - file: the file that a failure is shown in; the caller's.
  ///   - line: the line that a failure is shown at; the caller's.
  ///   - make: creates the object. If it returns `nil` the assertion fails: no object was watched.
  /// - Throws: the closure's own error, unchanged; nothing is asserted then.
  public func XCTAssertDeallocated<Failure: Error>(
    _ message: @autoclosure () -> String = "", timeout: Duration = .seconds(1),
    file: StaticString = #filePath, line: UInt = #line, _ make: () throws(Failure) -> AnyObject?
  ) throws(Failure) {
    let failure = try Deallocation.failure(within: timeout, pausing: MainLoop.pause, of: make)
    if let failure { LeakFailure("XCTAssertDeallocated", failure, message()).record(file, line) }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Asserts that an object with an asynchronous life is deallocated: created, awaited, dismissed.
  ///
  /// The closure runs on the caller's actor, and the assertion waits suspended.
  ///
  /// - Parameters:
  ///   - message: is added to the first line of the failure.
  ///   - timeout: how long the object may take.
  ///   - file: the file that a failure is shown in; the caller's.
  ///   - line: the line that a failure is shown at; the caller's.
  ///   - isolation: the actor to run on; the caller's.
  ///   - make: creates the object. If it returns `nil` the assertion fails: no object was watched.
  /// - Throws: the closure's own error, unchanged; nothing is asserted then.
  public func XCTAssertDeallocated<Failure: Error>(
    _ message: @autoclosure () -> String = "", timeout: Duration = .seconds(1),
    file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) {
    let failure = try await Deallocation.failure(within: timeout, isolation: isolation, of: make)
    if let failure { LeakFailure("XCTAssertDeallocated", failure, message()).record(file, line) }
  }
#endif
