package import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

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
