extension LiveObjects {
  /// Runs a body and returns the objects allocated meanwhile that are still alive after it.
  ///
  /// Starts tracking if it is off, and leaves it on. Work that the body hands to other threads counts as
  /// well: all objects of the process do, unless Swift Testing runs tests in parallel or another diff is open
  /// at the same time. Then the objects of the body, its tasks and actors count, and ``Diff/unattributed``
  /// is the number of others, which cannot be attributed.
  ///
  /// Waits for late releases by blocking the thread, for ``MeasurementOptions/settle`` at most, if objects
  /// are left. Objects that the thread itself would have to release then (work on the main queue, when the
  /// thread is the main one) are not released; an asynchronous body, `{ () async in … }`, waits suspended.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - body: the code to measure. It runs once, or as often as the options say.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails.
  public static func diff(
    _ options: MeasurementOptions = MeasurementOptions(), _ body: () -> Void
  ) throws(TrackingError) -> Diff {
    let measurement = try Measurement.begin(options)
    measurement.run(body)
    return try measurement.finish()
  }

  /// Runs a body that returns a value, and returns the objects allocated meanwhile that are still alive after
  /// it.
  ///
  /// Objects that the value keeps alive are alive, and counted. See <doc:Measuring>.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails.
  public static func diff<Value>(
    _ options: MeasurementOptions = MeasurementOptions(), _ body: () -> Value
  ) throws(TrackingError) -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = measurement.run(body)
    return (value, try measurement.finish().followingValue())
  }

  /// Runs a body that can throw, and returns the objects allocated meanwhile that are still alive after it.
  ///
  /// A body that throws has no diff; catch the error inside the body to have one.
  /// See <doc:Measuring>.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - body: the code to measure.
  /// - Returns: the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails; the body's own error unchanged.
  public static func diff(
    _ options: MeasurementOptions = MeasurementOptions(), _ body: () throws -> Void
  ) throws -> Diff {
    let measurement = try Measurement.begin(options)
    try measurement.run(body)
    return try measurement.finish()
  }

  /// Runs a body that can throw and returns a value, and returns the objects allocated meanwhile that are
  /// still alive after it.
  ///
  /// - Parameters:
  ///   - options: the options of the measurement.
  ///   - body: the code to measure.
  /// - Returns: what the body returned (of several runs, the last) and the objects left behind.
  /// - Throws: ``TrackingError`` if the measurement fails; the body's own error unchanged.
  public static func diff<Value>(
    _ options: MeasurementOptions = MeasurementOptions(), _ body: () throws -> Value
  ) throws -> (value: Value, diff: Diff) {
    let measurement = try Measurement.begin(options)
    let value = try measurement.run(body)
    return (value, try measurement.finish().followingValue())
  }
}
