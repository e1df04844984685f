extension LiveObjects {
  /// Runs an asynchronous body and returns the objects allocated meanwhile that are still alive after it.
  ///
  /// The body runs on the caller's actor. `diff` suspends while it waits for late releases, so that actors and
  /// the main queue go on. See <doc:Measuring>.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - isolation: the actor to run on; by default the caller's.
  ///   - body: the code to measure. It runs once, or as often as the options say.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails.
  public static func diff(
    _ options: MeasurementOptions = MeasurementOptions(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Void
  ) async throws(TrackingError) -> Diff {
    let measurement = try Measurement.begin(options)
    await measurement.run(isolation: isolation, body)
    return try await measurement.finish(isolation: isolation)
  }

  /// Runs an asynchronous body that returns a value, and returns the objects allocated meanwhile that are
  /// still alive after it.
  ///
  /// Objects that the returned value keeps alive are counted.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - isolation: the actor to run on; by default the caller's.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails.
  public static func diff<Value>(
    _ options: MeasurementOptions = MeasurementOptions(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Value
  ) async throws(TrackingError) -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = await measurement.run(isolation: isolation, body)
    return (value, try await measurement.finish(isolation: isolation).followingValue())
  }

  /// Runs an asynchronous body that can throw, and returns the objects allocated meanwhile that are still
  /// alive after it.
  ///
  /// A body that throws has no diff; catch the error inside the body to have one.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - isolation: the actor to run on; by default the caller's.
  ///   - body: the code to measure.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails; the body's own error unchanged.
  public static func diff(
    _ options: MeasurementOptions = MeasurementOptions(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async throws -> Diff {
    let measurement = try Measurement.begin(options)
    try await measurement.run(isolation: isolation, body)
    return try await measurement.finish(isolation: isolation)
  }

  /// Runs an asynchronous body that can throw and returns a value, and returns the objects allocated
  /// meanwhile that are still alive after it.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - isolation: the actor to run on; by default the caller's.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails; the body's own error unchanged.
  public static func diff<Value>(
    _ options: MeasurementOptions = MeasurementOptions(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async throws -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = try await measurement.run(isolation: isolation, body)
    return (value, try await measurement.finish(isolation: isolation).followingValue())
  }
}
