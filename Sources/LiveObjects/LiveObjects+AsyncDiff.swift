extension LiveObjects {
  /// Runs an asynchronous body and tells which of the objects made meanwhile are still alive after it.
  ///
  /// The body runs on the caller's actor, and late releases are waited for suspended, so that actors and the
  /// main queue go on. See <doc:Measuring>.
  ///
  /// - Parameters:
  ///   - options: how to measure.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code to measure. It runs once, or as often as the options say.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` where nothing can be said.
  public static func diff(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Void
  ) async throws(TrackingError) -> Diff {
    let measurement = try Measurement.begin(options)
    await measurement.run(isolation: isolation, body)
    return try await measurement.finish(isolation: isolation)
  }

  /// Runs an asynchronous body that returns a value, and tells which of the objects made meanwhile are still
  /// alive after it.
  ///
  /// Objects that the value keeps alive are alive, and counted.
  ///
  /// - Parameters:
  ///   - options: how to measure.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` where nothing can be said.
  public static func diff<Value>(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async -> Value
  ) async throws(TrackingError) -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = await measurement.run(isolation: isolation, body)
    return (value, try await measurement.finish(isolation: isolation))
  }

  /// Runs an asynchronous body that can throw, and tells which of the objects made meanwhile are still alive
  /// after it.
  ///
  /// A body that throws has no diff; catch the error inside the body to have one.
  ///
  /// - Parameters:
  ///   - options: how to measure.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code to measure.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` where nothing can be said; the body's own error unchanged.
  public static func diff(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async throws -> Diff {
    let measurement = try Measurement.begin(options)
    try await measurement.run(isolation: isolation, body)
    return try await measurement.finish(isolation: isolation)
  }

  /// Runs an asynchronous body that can throw and returns a value, and tells which of the objects made
  /// meanwhile are still alive after it.
  ///
  /// - Parameters:
  ///   - options: how to measure.
  ///   - isolation: the actor to run on; the caller's.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` where nothing can be said; the body's own error unchanged.
  public static func diff<Value>(
    _ options: Options = Options(), isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Value
  ) async throws -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = try await measurement.run(isolation: isolation, body)
    return (value, try await measurement.finish(isolation: isolation))
  }
}
