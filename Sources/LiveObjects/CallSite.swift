public import LiveObjectsAnalysis

extension LiveObjects {
  /// A call that allocated some of the instances left behind.
  public struct CallSite: Sendable, Hashable {
    /// The type of the instances, module-qualified.
    public var type: String
    /// The number of instances that this call allocated.
    public var instances: Int
    /// The backtrace from the call outwards.
    public var frames: [SourceFrame]

    /// The function of the call; `nil` without a symbol.
    public var function: String? { frames.first?.function }
    /// The source file of the call.
    public var file: String? { frames.first?.file }
    /// The line of the call in its file.
    public var line: Int? { frames.first?.line }
  }
}
