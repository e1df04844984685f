package import LiveObjects

/// The assertion that an object is gone once nobody who made it holds it.
package enum Deallocation {
  private static let nothingMade = AssertionFailure.unwatched(
    "the closure returned nil: no object was watched")

  /// - Parameters:
  ///   - time: how long the object may take.
  ///   - pausing: waits, and lets go on what may release the object.
  ///   - make: makes the object.
  /// - Returns: what to say if the object is still alive, or if there was none.
  package static func failure<Failure: Error>(
    within time: Duration, pausing: (Duration) -> Void, of make: () throws(Failure) -> AnyObject?
  ) throws(Failure) -> AssertionFailure? {
    let keptMemory = Recorder.KeptMemory()
    guard let object = try WatchedObject(madeBy: make) else { return nothingMade }
    defer { withExtendedLifetime(keptMemory) {} }
    return failure(on: Lifetime.survivors(of: [object], within: time, pausing: pausing), after: time)
  }

  /// The same, asynchronously.
  ///
  /// - Parameter scope: in which the object is made; the current one by default.
  package static func failure<Failure: Error>(
    within time: Duration, in scope: WorkScope? = nil, isolation: isolated (any Actor)?,
    of make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) -> AssertionFailure? {
    guard let object = try await WatchedObject.made(in: scope, isolation: isolation, by: make) else {
      return nothingMade
    }
    let left = await Lifetime.survivors(of: [object], within: time, isolation: isolation)
    return failure(on: left, after: time)
  }

  /// What an assertion tells of one object is all that was left behind out of reach; `false` if nobody knows.
  ///
  /// - Parameter scope: in which the object was made.
  package static func tellsAll(of scope: UInt32) -> Bool {
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
