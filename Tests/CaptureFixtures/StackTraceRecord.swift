import LiveObjectsCapture

/// One record of a `STAK` section.
public struct StackTraceRecord: Sendable {
  public var id: UInt32
  public var parent: UInt32
  /// Frames taken from the parent, its outermost ones.
  public var inherited: UInt32
  public var own: [Frame]

  public init(id: UInt32, parent: UInt32 = 0, inherited: UInt32 = 0, own: [Frame]) {
    self.id = id
    self.parent = parent
    self.inherited = inherited
    self.own = own
  }

  func write(to writer: inout ByteWriter) {
    writer.u32(id)
    writer.u32(parent)
    writer.u32(UInt32(own.count))
    writer.u32(inherited)
    for frame in own { writer.frame(frame) }
  }
}
