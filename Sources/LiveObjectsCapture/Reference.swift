/// A reference from one object to another.
///
/// The fields are as narrow as in a capture: a large heap has tens of millions.
public struct Reference: Sendable, Hashable {
  /// Index into `Capture.objects` of the object that refers.
  public var source: UInt32
  /// Index into `Capture.objects` of the object referred to.
  public var target: UInt32
  /// Index into `HeapGraph.labels`.
  public var label: UInt32
  private var elementWord: UInt32
  private var functionWord: UInt32

  /// Index in an array, or bucket of a dictionary or set.
  public var element: UInt32? { elementWord == .max ? nil : elementWord }

  /// Index into `HeapGraph.functions`: the code of the closure whose context is referred to.
  public var function: UInt32? { functionWord == .max ? nil : functionWord }

  public init(
    from source: UInt32, to target: UInt32, label: UInt32, element: UInt32? = nil,
    function: UInt32? = nil
  ) {
    self.source = source
    self.target = target
    self.label = label
    elementWord = element ?? .max
    functionWord = function ?? .max
  }
}

extension Reference {
  static let recordSize = 20

  /// A reference as it stands in a capture, where labels and functions are counted from 1: a label
  /// of 0, which is none, turns into one that no graph holds.
  ///
  /// - Precondition: `recordSize` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    source = bytes.littleEndian(UInt32.self, at: offset)
    target = bytes.littleEndian(UInt32.self, at: offset + 4)
    label = bytes.littleEndian(UInt32.self, at: offset + 8) &- 1
    elementWord = bytes.littleEndian(UInt32.self, at: offset + 12)
    functionWord = bytes.littleEndian(UInt32.self, at: offset + 16) &- 1
  }
}
