package import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

/// The assertion that an object is deallocated soon after its creator has released it.
package enum Deallocation {
  private static let noObject = AssertionFailure.unwatched(
    "the closure returned nil: no object was watched")

  /// - Parameter pausing: waits, while other work goes on that may release the object.
  /// - Returns: a failure if the object is still alive, or if there was none.
  package static func failure<Failure: Error>(
    within time: Duration, pausing: (Duration) -> Void, of make: () throws(Failure) -> AnyObject?
  ) throws(Failure) -> AssertionFailure? {
    let reservedMemory = Recorder.ReservedMemory()
    guard let object = try WatchedObject(madeBy: make) else { return noObject }
    defer { withExtendedLifetime(reservedMemory) {} }
    let left = Lifetime.survivors(of: [object], within: time, pausing: pausing)
    return failure(on: Recorder.ignoring { left.compactMap(TypedObject.init) }, after: time)
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
    let survivors = Recorder.ignoring { left.compactMap(TypedObject.init) }
    if survivors.isEmpty { return nil }
    Recorder.forgetStack()
    return await OwnThread.run(isolation: isolation) { failure(on: survivors, after: time) }
  }

  /// Whether a scope has at most one leak, so that the failure about one object covers all of them; `false`
  /// if unknown.
  ///
  /// - Parameter scope: the scope that created the object.
  package static func isComplete(for scope: UInt32) -> Bool {
    Recorder.forgetStack()
    return Recorder.ignoring { HolderReport().leaks(in: scope).map { $0 <= 1 } ?? false }
  }

  private static func failure(on survivors: [TypedObject], after time: Duration) -> AssertionFailure? {
    Recorder.forgetStack()
    return Recorder.ignoring {
      survivors.isEmpty ? nil : HolderReport().explain(survivors).first?.failure("still alive after \(time)")
    }
  }
}

/// Waits for the deallocation of objects.
package enum Lifetime {
  /// Checks at once, and again at growing intervals, until all objects are gone or the time is up.
  ///
  /// - Parameter pausing: waits, while other work goes on that may release the objects.
  /// - Returns: the objects that are still alive.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, pausing: (Duration) -> Void
  ) -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { check(objects, &settling) }
      guard let pause else { return alive }
      pausing(pause)
    }
  }

  /// The asynchronous form.
  package static func survivors(
    of objects: [WatchedObject], within time: Duration, isolation: isolated (any Actor)?
  ) async -> [WatchedObject] {
    var settling = Settling(limit: time, quiet: time)
    while true {
      let (alive, pause) = Recorder.ignoring { check(objects, &settling) }
      guard let pause else { return alive }
      await pause.sleep(isolation: isolation)
    }
  }

  private static func check(
    _ objects: [WatchedObject], _ settling: inout Settling
  ) -> (alive: [WatchedObject], pause: Duration?) {
    let alive = objects.filter(\.isAlive)
    return (alive, settling.pause(after: alive.map(\.identity)))
  }
}

/// An object that must be deallocated, held weakly.
package struct WatchedObject {
  private weak var object: AnyObject?
  let address: ObjectAddress

  package init(_ object: AnyObject) {
    self.object = object
    address = ObjectAddress(UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())))
  }

  /// Watches the object that a closure returns, if any. This code does not hold the object afterwards.
  @inline(never)
  init?<Failure: Error>(madeBy make: () throws(Failure) -> AnyObject?) throws(Failure) {
    guard let object = try make() else { return nil }
    self.init(object)
  }

  /// The asynchronous form. No initialiser: Swift 6.0 crashes on one with an isolated parameter.
  @inline(never)
  static func made<Failure: Error>(
    in scope: WorkScope?, isolation: isolated (any Actor)?, by make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) -> WatchedObject? {
    try await LiveObjects.run(in: scope, isolation: isolation, make).map { WatchedObject($0) }
  }

  package var isAlive: Bool { object != nil }

  /// The identity of the object as long as it is alive.
  package var identity: ObjectIdentity { ObjectIdentity(living: address) }

  /// Module-qualified; `nil` if the object is gone.
  var type: String? { object.map { TypeName(String(reflecting: Swift.type(of: $0))).text } }
}

/// An object that was alive. It is not held: any thread may use this.
struct TypedObject: Sendable {
  let address: ObjectAddress
  let type: String

  /// On the object's own actor and outside of all locks: reading the type can end the object's life, and so run its
  /// `deinit`.
  ///
  /// - Returns: `nil` if the object is gone.
  init?(_ object: WatchedObject) {
    guard let type = object.type else { return nil }
    (address, self.type) = (object.address, type)
  }
}
