/// The live instances of a type, and those of them that were allocated since the baseline.
public struct TypeGrowth: Sendable, Hashable {
  /// Demangled, module-qualified.
  public var type: String
  public var kind: ObjectKind
  /// Whether the type belongs to the program, not to the Swift toolchain or the system.
  public var isUserDefined: Bool
  /// Live instances in the capture.
  public var live: Int
  /// Live instances that were allocated since the baseline.
  public var growth: Int
  /// Bytes asked for by the live instances.
  public var bytes: UInt64
  /// Bytes asked for by the instances allocated since the baseline.
  public var growthBytes: UInt64
  /// Instances whose deinit has run and whose memory unowned references keep; not counted as live.
  public var pinned: Int

  public init(
    type: String, kind: ObjectKind, isUserDefined: Bool, live: Int, growth: Int, bytes: UInt64,
    growthBytes: UInt64 = 0, pinned: Int = 0
  ) {
    self.type = type
    self.kind = kind
    self.isUserDefined = isUserDefined
    self.live = live
    self.growth = growth
    self.bytes = bytes
    self.growthBytes = growthBytes
    self.pinned = pinned
  }
}

extension TypeGrowth {
  /// The order of a report: by bytes, then by instances, then by live instances. Equals are in
  /// alphabetical order, so that reports of the same run are the same.
  package static func mostGrown(_ a: TypeGrowth, _ b: TypeGrowth) -> Bool {
    (b.growthBytes, b.growth, b.bytes, a.type, a.kind.rawValue)
      < (a.growthBytes, a.growth, a.bytes, b.type, b.kind.rawValue)
  }
}
