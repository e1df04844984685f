extension LiveObjects {
  /// How a diff measures.
  public struct Options: Sendable, Hashable {
    /// How long objects that are still alive after the body may take to be released.
    ///
    /// The diff looks at once, and looks again, at growing intervals, only while something is left. It stops
    /// as soon as nothing is, or when what is left has been the same for 100 milliseconds.
    public var settle: Duration
    /// Runs of the body before the measurement: what is made once (lazy statics, caches of the standard
    /// library and Foundation) does not show then.
    public var warmUp: Int
    /// Measured runs of the body. With more than one, a type counts only if *every* run left an instance of
    /// it behind: a cache that has its bound stays silent, one that grows for ever does not. Numbers below 1
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
