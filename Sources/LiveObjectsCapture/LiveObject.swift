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

extension LiveObject {
  static let recordSize = 48

  /// An object as it stands in a capture, where types are counted from 1; `nil` for one of no known type.
  ///
  /// - Precondition: `recordSize` bytes from `offset` on lie in `bytes`.
  init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, types: Int) {
    func field<T: FixedWidthInteger & BitwiseCopyable>(_ start: Int) -> T {
      bytes.littleEndian(T.self, at: offset + start)
    }
    let (type, flags): (UInt32, UInt32) = (field(24), field(36))
    guard type > 0, type <= types else { return nil }
    self.init(
      address: field(0), bytes: field(8), sequence: field(16), type: Int(type) - 1,
      stackTrace: field(28), scope: field(32), isPinned: flags & 1 != 0, wasWeaklyReferenced: flags & 4 != 0,
      strongCount: flags & 2 == 0 ? field(40) : nil)
  }
}

/// The address of a heap object, in a form that keeps nothing alive and is no conservative reference.
///
/// A process can decode captures of itself. Plain addresses would lie in its memory then, and who
/// searches that memory for holders of an object would find them.
public struct ObjectAddress: Sendable, Hashable {
  private var complement: UInt64

  public var value: UInt64 { ~complement }

  public init(_ value: UInt64) {
    complement = ~value
  }
}

/// A type, as far as the runtime of the watched process could describe it.
public struct TypeDescription: Sendable, Hashable {
  /// The kind of objects, from their metadata.
  public enum Kind: UInt32, Sendable {
    case classInstance = 1
    /// A closure context or a box of fixed layout: the compiler emits both alike.
    case closureContextOrBox
    case genericBox
    case errorBox
    /// Memory of an `UnsafeMutablePointer`; no heap object.
    case rawBuffer
    case other
    /// An asynchronous task.
    case task
  }
  public var kind: Kind
  public var metadata: UInt64
  /// The image that holds the metadata.
  public var image: Int?
  /// Values captured, where `kind` is `closureContextOrBox`.
  public var captureCount: UInt32
  /// The name in the runtime's spelling; empty without one.
  public var name: String

  public init(
    kind: Kind, metadata: UInt64 = 0, image: Int? = nil, captureCount: UInt32 = 0, name: String
  ) {
    self.kind = kind
    self.metadata = metadata
    self.image = image
    self.captureCount = captureCount
    self.name = name
  }
}
