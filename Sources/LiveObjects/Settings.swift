extension LiveObjects {
  /// What tracking records. It holds from the first start to the end of the process.
  public struct Settings: Sendable, Hashable {
    /// Record the backtrace of every allocation: call sites cost about twice the time of objects alone.
    public var backtraces: Bool
    /// Frames kept of a backtrace, innermost first; 1 to 512.
    public var depth: Int
    /// Count the retains and releases of every object.
    public var retainCounts: Bool

    public init(backtraces: Bool = true, depth: Int = 64, retainCounts: Bool = false) {
      self.backtraces = backtraces
      self.depth = depth
      self.retainCounts = retainCounts
    }
  }
}
