extension LiveObjects {
  /// What a body returned and what it left behind, or why nobody knows.
  package struct Measured<Value> {
    package var value: Value
    package var diff: Result<Diff, TrackingError>
    /// Of the objects that the body made; 0 where nothing could be measured.
    package var scope: UInt32 = 0
  }

  /// A diff for assertions: the body runs even where nothing can be watched, and its value is returned.
  ///
  /// - Parameters:
  ///   - options: how to measure.
  ///   - pausing: waits for late releases.
  ///   - body: the code to measure. An error of it passes unchanged.
  package static func measure<Value, Failure: Error>(
    _ options: Options, pausing: (Duration) -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Measured<Value> {
    switch Measurement.started(options) {
    case .failure(let error):
      return Measured(value: try body(), diff: .failure(error))
    case .success(let measurement):
      let value = try measurement.run(body)
      // From this frame, which was there before the body ran: the next ones would lie over what it left behind.
      Recorder.forgetStack()
      do throws(TrackingError) {
        let diff = try measurement.finish(pausing: pausing)
        return Measured(value: value, diff: .success(diff), scope: measurement.scope)
      } catch {
        return Measured(value: value, diff: .failure(error))
      }
    }
  }

  /// Runs work on another thread, and waits for it.
  ///
  /// - Returns: whether the work has run; if not, it never will.
  package typealias Performer = (_ work: @escaping @Sendable () -> Void) async -> Bool

  /// The same with an asynchronous body, which is waited for suspended, on the caller's actor.
  ///
  /// - Parameter elsewhere: where to explain what is left: on a thread that would look busy to others.
  package static func measure<Value, Failure: Error>(
    _ options: Options, isolation: isolated (any Actor)?, elsewhere: Performer? = nil,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Measured<Value> {
    switch Measurement.started(options) {
    case .failure(let error):
      return Measured(value: try await run(isolation: isolation, body), diff: .failure(error))
    case .success(let measurement):
      let value = try await measurement.run(isolation: isolation, body)
      do throws(TrackingError) {
        let diff = try await measurement.finish(isolation: isolation, elsewhere: elsewhere)
        return Measured(value: value, diff: .success(diff), scope: measurement.scope)
      } catch {
        return Measured(value: value, diff: .failure(error))
      }
    }
  }
}

extension Measurement {
  fileprivate static func started(
    _ options: LiveObjects.Options
  ) -> Result<Measurement, LiveObjects.TrackingError> {
    do throws(LiveObjects.TrackingError) { return .success(try begin(options)) } catch {
      return .failure(error)
    }
  }
}
