extension LiveObjects {
  /// The data that tracking records. It applies from the first start to the end of the process.
  public struct TrackingOptions: Sendable, Hashable {
    /// Record the stack trace of every allocation, which is most of the cost of tracking.
    public var backtraces: Bool
    /// Frames kept of a stack trace, innermost first; 1 to 512.
    public var depth: Int
    /// The objects whose retains and releases are recorded, with their call sites.
    public var retains: Retains

    public init(backtraces: Bool = true, depth: Int = 64, retains: Retains = .off) {
      self.backtraces = backtraces
      self.depth = depth
      self.retains = retains
    }
  }

  /// Objects whose retains and releases are recorded.
  ///
  /// A finding then names the calls whose retains were never released. Those of all objects cost several
  /// times the program's own run; those of a few types little more than none.
  public enum Retains: Sendable, Hashable {
    case off
    case all
    /// Instances of types whose module-qualified name, without generic arguments, matches one of these
    /// patterns: `*` stands for any text, as in `Demo.Model.*`.
    case types([String])
  }
}
