/// A finding that a test failed with when it ended.
public struct TestFinding: Sendable, Hashable {
  /// An object of the finding.
  public struct Object: Sendable, Hashable {
    public var address: ObjectAddress
    public var bytes: UInt64
    public var sequence: UInt64
    /// Objects of one group have the same number, from 0 on.
    public var instance: UInt32
    /// Whether it is part of the leak, not a victim.
    public var isCore: Bool

    public init(_ object: LiveObject, instance: Int, isCore: Bool) {
      (address, bytes, sequence) = (object.address, object.bytes, object.sequence)
      self.instance = UInt32(clamping: instance)
      self.isCore = isCore
    }
  }

  /// Index into `Capture.tests`.
  public var test: Int
  public var objects: [Object]
  /// The encoded finding, written and read by the analysis.
  public var content: [UInt8]

  public init(test: Int, objects: [Object], content: [UInt8]) {
    (self.test, self.objects, self.content) = (test, objects, content)
  }

  /// The finding in the recorder's format, without the test. Addresses are complements there too.
  package var bytes: [UInt8] {
    ByteWriter.bytes {
      $0.u32(UInt32(clamping: objects.count))
      for object in objects {
        for word in [~object.address.value, object.bytes, object.sequence] { $0.u64(word) }
        for word in [object.instance, object.isCore ? 1 : 0] { $0.u32(word) }
      }
      $0.byteString(content)
    }
  }
}

extension TestFinding {
  init(test: Int, _ reader: inout ByteReader) throws(CaptureError) {
    let count = try reader.u32()
    var objects: [Object] = []
    for _ in 0..<count { objects.append(try Object(&reader)) }
    self.init(test: test, objects: objects, content: try reader.byteString())
  }
}

extension TestFinding.Object {
  /// The same behind other groups.
  package func renumbered(from first: Int) -> Self {
    var object = self
    object.instance = UInt32(clamping: first + Int(instance))
    return object
  }

  fileprivate init(_ reader: inout ByteReader) throws(CaptureError) {
    address = ObjectAddress(~(try reader.u64()))
    (bytes, sequence) = (try reader.u64(), try reader.u64())
    instance = try reader.u32()
    isCore = try reader.u32() & 1 != 0
  }
}
