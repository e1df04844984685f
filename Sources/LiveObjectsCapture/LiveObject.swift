/// One object (or raw buffer) that was alive at the capture.
///
/// 40 bytes, as narrow as in a capture: a large heap has tens of millions.
public struct LiveObject: Sendable, Hashable {
  public var address: ObjectAddress
  /// Requested bytes.
  public var bytes: UInt64
  public var sequence: UInt64
  private var typeAndFlags: UInt32
  /// A key of `Capture.stackTraces`; 0 for none.
  public var stackTrace: UInt32
  /// 0 for none.
  public var scope: UInt32
  private var strongWord: UInt32

  /// Index into `Capture.types`.
  public var type: Int {
    get { Int(typeAndFlags & Self.typeMask) }
    set { typeAndFlags = typeAndFlags & ~Self.typeMask | UInt32(newValue) & Self.typeMask }
  }

  /// Whether its deinit has run; unowned references keep its memory.
  public var isPinned: Bool {
    get { self[Self.pinned] }
    set { self[Self.pinned] = newValue }
  }

  /// Whether weak or unowned references to it were created, or may have been.
  public var wasWeaklyReferenced: Bool {
    get { self[Self.weaklyReferenced] }
    set { self[Self.weaklyReferenced] = newValue }
  }

  /// `nil` where it was not read.
  public var strongCount: UInt32? {
    get { self[Self.counted] ? strongWord : nil }
    set {
      self[Self.counted] = newValue != nil
      strongWord = newValue ?? 0
    }
  }

  public init(
    address: UInt64, bytes: UInt64, sequence: UInt64, type: Int, stackTrace: UInt32 = 0,
    scope: UInt32 = 0, isPinned: Bool = false, wasWeaklyReferenced: Bool = false, strongCount: UInt32? = nil
  ) {
    self.address = ObjectAddress(address)
    self.bytes = bytes
    self.sequence = sequence
    self.stackTrace = stackTrace
    self.scope = scope
    typeAndFlags = UInt32(type) & Self.typeMask
    strongWord = 0
    self.isPinned = isPinned
    self.wasWeaklyReferenced = wasWeaklyReferenced
    self.strongCount = strongCount
  }
}

extension LiveObject {
  /// The limit of types; a capture with more does not fit into any memory.
  static let typeLimit = 1 << 29

  private static let typeMask = UInt32(typeLimit - 1)
  private static let pinned: UInt32 = 1 << 29
  private static let weaklyReferenced: UInt32 = 1 << 30
  private static let counted: UInt32 = 1 << 31

  private subscript(flag: UInt32) -> Bool {
    get { typeAndFlags & flag != 0 }
    set { typeAndFlags = newValue ? typeAndFlags | flag : typeAndFlags & ~flag }
  }
}
