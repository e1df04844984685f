extension LiveObjects {
  /// The options of a measurement.
  public struct MeasurementOptions: Sendable, Hashable {
    /// The time that objects which are still alive after the body may take to be released.
    ///
    /// The diff checks at once, and again at growing intervals while objects are left. It stops
    /// as soon as none is left, or when the same objects have been left for 100 milliseconds.
    public var settle: Duration
    /// Runs of the body before the measurement: objects that are allocated once (lazy statics, caches of the
    /// standard library and Foundation) do not count then.
    public var warmUp: Int
    /// Measured runs of the body. With more than one, a type counts only if *every* run left an instance of
    /// it behind: a bounded cache does not count, one that grows forever does. Numbers below 1
    /// count as 1.
    public var iterations: Int
    /// Only types count whose module-qualified name contains one of these; empty for all. Objects without a
    /// type name (closure contexts, boxes of fixed layout, raw buffers) count only without a filter.
    public var types: [String]

    public init(
      settle: Duration = .milliseconds(300), warmUp: Int = 0, iterations: Int = 1, types: [String] = []
    ) {
      self.settle = settle
      self.warmUp = warmUp
      self.iterations = iterations
      self.types = types
    }
  }
}
