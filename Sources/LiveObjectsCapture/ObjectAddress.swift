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
