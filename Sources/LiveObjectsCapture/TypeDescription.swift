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
