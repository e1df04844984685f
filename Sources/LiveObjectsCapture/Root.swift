/// A conservative reference to an object from outside of the heap.
public struct Root: Sendable, Hashable {
  public enum Place: Sendable, Hashable {
    /// A global or static variable; the frame is its address.
    case global(Frame)
    case stack(thread: UInt64)
    case threadLocal(thread: UInt64)
    /// Memory that belongs to C code, or was freed by it.
    case cMemory(address: UInt64)
    /// A block on a dispatch queue, by its code.
    case dispatchBlock(Frame)
  }
  public var place: Place
  /// Index into `Capture.objects`.
  public var target: UInt32

  public init(_ place: Place, target: UInt32) {
    self.place = place
    self.target = target
  }
}
