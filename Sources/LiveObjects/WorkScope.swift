/// A scope for what one piece of work makes, which is not measured; a measurement round it owns that as well.
package final class WorkScope: Sendable {
  /// As the recorder counts scopes.
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

  package func run<Value, Failure: Error>(
    isolation: isolated (any Actor)?, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await Scopes.within(id, isolation: isolation, work)
  }
}
