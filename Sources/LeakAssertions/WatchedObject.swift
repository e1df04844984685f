package import LiveObjects
internal import LiveObjectsAnalysis
internal import LiveObjectsCapture

/// An object that shall go. It is held weakly.
package struct WatchedObject {
  private weak var object: AnyObject?
  let address: ObjectAddress

  package init(_ object: AnyObject) {
    self.object = object
    address = ObjectAddress(UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())))
  }

  /// Watches what a closure makes; `nil` if it makes nothing. Nothing of this holds the object afterwards.
  @inline(never)
  init?<Failure: Error>(madeBy make: () throws(Failure) -> AnyObject?) throws(Failure) {
    guard let object = try make() else { return nil }
    self.init(object)
  }

  /// The same, asynchronously. No initialiser: Swift 6.0 crashes on one with an isolated parameter.
  @inline(never)
  static func made<Failure: Error>(
    in scope: WorkScope?, isolation: isolated (any Actor)?, by make: () async throws(Failure) -> AnyObject?
  ) async throws(Failure) -> WatchedObject? {
    try await LiveObjects.run(in: scope, isolation: isolation, make).map { WatchedObject($0) }
  }

  package var isAlive: Bool { object != nil }

  /// As long as the object is alive.
  package var identity: ObjectIdentity { ObjectIdentity(living: address) }

  /// Module-qualified; `nil` if the object is gone.
  var type: String? { object.map { TypeName(String(reflecting: Swift.type(of: $0))).text } }
}
