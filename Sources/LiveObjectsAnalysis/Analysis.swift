import LiveObjectsCapture

/// What a capture says about growth: per type, and as findings.
public struct Analysis: Sendable {
  public var types: [TypeGrowth]
  public var findings: [Finding]

  /// - Parameters:
  ///   - capture: the capture to judge.
  ///   - symbolicator: names the frames that findings show.
  ///   - options: which objects count.
  public init(
    of capture: Capture, symbolicator: some Symbolicator, options: Options = Options()
  ) {
    types = []
    findings = []
  }

  public struct Options: Sendable {
    /// Objects with a smaller sequence number are live, but not growth.
    public var baseline: UInt64 = 0
    /// Only types whose full name contains one of these count; empty for all.
    public var typeFilters: [String] = []
    public init() {}
  }
}
