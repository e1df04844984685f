/// One object (or raw buffer) that was alive at the capture.
public struct LiveObject: Sendable, Hashable {
  public var address: ObjectAddress
  /// Bytes asked for when it was allocated.
  public var bytes: UInt64
  public var sequence: UInt64
  /// Index into `Capture.types`.
  public var type: Int
  /// A key of `Capture.stackTraces`; 0 for none.
  public var stackTrace: UInt32
  /// 0 for none.
  public var scope: UInt32
  /// Its deinit has run; unowned references keep its memory.
  public var isPinned: Bool
  /// Weak or unowned references to it were made, or may have been.
  public var isVisited: Bool
  /// `nil` where it was not read.
  public var strongCount: UInt32?

  public init(
    address: UInt64, bytes: UInt64, sequence: UInt64, type: Int, stackTrace: UInt32 = 0,
    scope: UInt32 = 0, isPinned: Bool = false, isVisited: Bool = false, strongCount: UInt32? = nil
  ) {
    self.address = ObjectAddress(address)
    self.bytes = bytes
    self.sequence = sequence
    self.type = type
    self.stackTrace = stackTrace
    self.scope = scope
    self.isPinned = isPinned
    self.isVisited = isVisited
    self.strongCount = strongCount
  }
}
