/// A scope for the objects of one piece of work without a measurement; an enclosing measurement owns them
/// too.
package final class WorkScope: Sendable {
  /// The number of the scope in the recorder.
  package let id: UInt32

  package init() {
    id = Recorder.ignoring { Scopes.shared.open() }
  }

  deinit {
    Recorder.ignoring { Scopes.shared.close(id) }
  }

  package func run<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    try Scopes.within(id, work)
  }
}

extension LiveObjects {
  /// Runs work on the caller's actor, in a scope or in the current one.
  ///
  /// Swift 6.0 lets no function on an actor call work that returns a value which is not `Sendable`. The
  /// standard library's functions may.
  package static func run<Value, Failure: Error>(
    in scope: WorkScope? = nil, isolation: isolated (any Actor)?, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await Scopes.within(scope?.id ?? Scopes.current, isolation: isolation, work)
  }
}
