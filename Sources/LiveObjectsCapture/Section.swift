/// A tagged part of a capture.
struct Section {
  /// Four ASCII characters, the first in the lowest byte.
  struct Tag: Hashable {
    var bits: UInt32

    static let process = Tag("PROC")
    static let status = Tag("STAT")
    static let images = Tag("IMAG")
    static let types = Tag("TYPE")
    static let objects = Tag("OBJS")
    static let retains = Tag("RETN")
    static let stackTraces = Tag("STAK")
    static let heapGraph = Tag("GRPH")
    static let superclasses = Tag("SUPR")
    static let labels = Tag("LABL")
    static let functions = Tag("FUNC")
    static let references = Tag("REFS")
    static let roots = Tag("ROOT")
    static let tasks = Tag("TASK")
    static let retainSites = Tag("LEDG")
    static let tests = Tag("TEST")
    static let scopes = Tag("SCOP")
    static let knownIssueScopes = Tag("KNOW")
    static let evaluatedTests = Tag("EVAL")
    static let testFindings = Tag("FIND")
    static let journal = Tag("JRNL")
    static let begunTests = Tag("BEGN")
    static let closedTests = Tag("DONE")
    static let end = Tag("END!")

    init(bits: UInt32) {
      self.bits = bits
    }

    private init(_ name: StaticString) {
      bits = name.withUTF8Buffer { UnsafeRawBufferPointer($0).loadUnaligned(as: UInt32.self) }
      bits = UInt32(littleEndian: bits)
    }
  }

  var tag: Tag
  /// The position of the payload in the file.
  var payload: Range<Int>
}

extension Section {
  /// Reads the header of a section, its payload skipped.
  init(_ reader: inout ByteReader) throws(CaptureError) {
    tag = Tag(bits: try reader.u32())
    let flagsOffset = reader.offset
    guard try reader.u32() == 0 else {
      throw CaptureError(offset: flagsOffset, reason: .damaged("a section has unknown flags"))
    }
    let count = try reader.u64()
    payload = try reader.take(count)
    let padding = -payload.count & 7
    _ = try reader.take(padding)
  }
}
