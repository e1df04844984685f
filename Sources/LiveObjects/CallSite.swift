public import LiveObjectsAnalysis

extension LiveObjects {
  /// A call that made some of the instances left behind.
  public struct CallSite: Sendable, Hashable {
    /// The type of the instances, module-qualified.
    public var type: String
    /// How many of them this call made.
    public var instances: Int
    /// The backtrace from the call outwards.
    public var frames: [SourceFrame]

    /// The function that made the call; `nil` where no symbol is known.
    public var function: String? { frames.first?.function }
    /// The source file of the call.
    public var file: String? { frames.first?.file }
    /// The line of the call in its file.
    public var line: Int? { frames.first?.line }
  }
}
