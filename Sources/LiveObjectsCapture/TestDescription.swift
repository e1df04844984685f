/// A test, or one case of a parameterised test, that a process ran.
public struct TestDescription: Sendable, Hashable {
  public enum Library: UInt32, Sendable, CaseIterable {
    case xctest = 1
    case testing
  }
  public enum Outcome: UInt32, Sendable, CaseIterable {
    case running = 0
    case passed
    /// Failed for a reason of its own.
    case failed
    case skipped
    /// Failed because of what it left behind, by an assertion of this package.
    case leaked
  }
  public var library: Library
  public var outcome: Outcome
  /// The scope of its objects; 0 if it owns all objects allocated while it ran.
  public var scope: UInt32
  /// The id in the spelling of `swift test list`.
  public var id: String
  /// The arguments of a parameterised case; empty for other tests.
  public var arguments: String
  /// The arguments of a parameterised case; `nil` for other tests.
  package var testCase: String? { arguments.isEmpty ? nil : arguments }
  /// The file of its declaration; empty if unknown.
  public var file: String
  public var line: UInt32
  /// The sequence numbers of the objects allocated while it ran.
  public var sequenceNumbers: Range<UInt64>
  /// All that it left behind was evaluated when it ended.
  public var isEvaluated = false

  public init(
    library: Library, outcome: Outcome = .passed, scope: UInt32 = 0, id: String, arguments: String = "",
    file: String = "", line: UInt32 = 0, sequenceNumbers: Range<UInt64>
  ) {
    self.library = library
    self.outcome = outcome
    self.scope = scope
    self.id = id
    self.arguments = arguments
    self.file = file
    self.line = line
    self.sequenceNumbers = sequenceNumbers
  }
}

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
  /// The finding as JSON, written and read by the analysis.
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
