package import LiveObjects

/// The assertion that an object is deallocated soon after its creator has released it.
package enum Deallocation {
  private static let noObject = AssertionFailure.unwatched(
    "the closure returned nil: no object was watched")

  /// - Parameters:
  ///   - time: the time that the object may take.
  ///   - pausing: waits, while other work goes on that may release the object.
  ///   - make: creates the object.
  /// - Returns: a failure if the object is still alive, or if there was none.
  package static func failure<Failure: Error>(
    within time: Duration, pausing: (Duration) -> Void, of make: () throws(Failure) -> AnyObject?
  ) throws(Failure) -> AssertionFailure? {
    let keptMemory = Recorder.KeptMemory()
    guard let object = try WatchedObject(madeBy: make) else { return noObject }
    defer { withExtendedLifetime(keptMemory) {} }
    return failure(on: Lifetime.survivors(of: [object], within: time, pausing: pausing), after: time)
  }

  /// The asynchronous form.
  ///
  /// - Parameter scope: the scope that creates the object; the current one by default.
  package static func failure<Failure: Error>(
    within time: Duration, in scope: WorkScope? = nil, isolation: isolated (any Actor)?,
    of make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) -> AssertionFailure? {
    guard let object = try await WatchedObject.made(in: scope, isolation: isolation, by: make) else {
      return noObject
    }
    let left = await Lifetime.survivors(of: [object], within: time, isolation: isolation)
    return failure(on: left, after: time)
  }

  /// Whether a scope has at most one leak, so that the failure about one object covers all of them; `false`
  /// if unknown.
  ///
  /// - Parameter scope: the scope that created the object.
  package static func isComplete(for scope: UInt32) -> Bool {
    Recorder.forgetStack()
    return Recorder.ignoring { HolderReport().leaks(in: scope).map { $0 <= 1 } ?? false }
  }

  private static func failure(on survivors: [WatchedObject], after time: Duration) -> AssertionFailure? {
    Recorder.forgetStack()
    return Recorder.ignoring {
      survivors.isEmpty ? nil : HolderReport().explain(survivors).first?.failure("still alive after \(time)")
    }
  }
}
