/// The place of a reference: the property, element or capture, and its ownership.
public struct ReferenceLabel: Sendable, Hashable {
  public enum Kind: UInt32, Sendable {
    case property = 1
    case element, key, value, member, capture
    /// The content of a box, an error or an indirect enum case.
    case content
    /// A word of memory with unknown types.
    case memory
    case taskClosure, taskFrame, taskResult, taskLocal
  }
  public enum Ownership: UInt32, Sendable {
    case strong = 1
    case weak, unowned, unmanaged
    /// A word that may be a pointer to an object.
    case conservative
  }
  public var kind: Kind
  public var ownership: Ownership
  /// A property's path (`outer.inner.ref`), the path inside an element or box, or a captured type's name
  /// (followed by a tab and the path, where the reference lies inside of a captured value).
  public var text: String

  public init(_ kind: Kind, ownership: Ownership = .strong, text: String = "") {
    self.kind = kind
    self.ownership = ownership
    self.text = text
  }
}
