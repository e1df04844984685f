extension LiveObjects {
  /// The value of a body, and its diff or the reason why there is none.
  package struct Measured<Value> {
    package var value: Value
    package var diff: Result<Diff, TrackingError>
    /// The scope of the body's objects; 0 without a measurement.
    package var scope: UInt32 = 0
  }

  /// A diff for assertions: the body runs even where nothing can be watched, and its value is returned.
  ///
  /// - Parameter pausing: waits for late releases.
  package static func measure<Value, Failure: Error>(
    _ options: MeasurementOptions, pausing: (Duration) -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Measured<Value> {
    switch Result(catching: { () throws(TrackingError) in try Measurement.begin(options) }) {
    case .failure(let error):
      return Measured(value: try body(), diff: .failure(error))
    case .success(let measurement):
      let value = try measurement.run(body)
      // From this frame, which was there before the body ran: the next ones would lie over what it left
      // behind.
      Recorder.forgetStack()
      let diff = Result { () throws(TrackingError) in try measurement.finish(pausing: pausing) }
      return Measured(value: value, diff: diff, scope: measurement.scope)
    }
  }

  /// A diff of an asynchronous body, which waits suspended, on the caller's actor.
  package static func measure<Value, Failure: Error>(
    _ options: MeasurementOptions, isolation: isolated (any Actor)?,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Measured<Value> {
    switch Result(catching: { () throws(TrackingError) in try Measurement.begin(options) }) {
    case .failure(let error):
      return Measured(value: try await run(isolation: isolation, body), diff: .failure(error))
    case .success(let measurement):
      let value = try await measurement.run(isolation: isolation, body)
      do throws(TrackingError) {
        let diff = try await measurement.finish(isolation: isolation, explaining: true)
        return Measured(value: value, diff: .success(diff), scope: measurement.scope)
      } catch {
        return Measured(value: value, diff: .failure(error))
      }
    }
  }
}
