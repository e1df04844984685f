/// What a reference stands in: the property, element or capture, and how it keeps its target.
public struct ReferenceLabel: Sendable, Hashable {
  public enum Kind: UInt32, Sendable {
    case property = 1
    case element, key, value, member, capture
    /// What a box, an error or an indirect enum case holds.
    case content
    /// A word of memory whose types are not known.
    case memory
    case taskClosure, taskFrame, taskResult, taskLocal
  }
  public enum Ownership: UInt32, Sendable {
    case strong = 1
    case weak, unowned, unmanaged
    /// A word that looks like a reference; nobody knows whether it is one.
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
