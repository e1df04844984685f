/// The state of a recorder at one moment: the live objects of a process, their types, and the stack
/// traces that allocated them. Decoded from the stream that `Documentation/internals/capture-format.md` specifies.
public struct Capture: Sendable {
  public var process: ProcessDescription
  public var tracking: TrackingStatus
  /// Indexed by image id.
  public var images: [Image] = []
  /// Indexed by type id minus one.
  public var types: [TypeDescription] = []
  public var objects: [LiveObject] = []
  /// The number of objects of each type, where only that was requested: there are no objects then.
  public var countedTypes: [CountedType]?
  public var stackTraces = StackTraceTable()
  /// `nil` where references were not requested.
  public var graph: HeapGraph?
  /// The tests, in the order in which they began.
  public var tests: [TestDescription] = []
  /// The process announced each of its tests: without any, none ran.
  package var listsTests = false
  /// The scope that each scope was opened in, for those that were opened in one.
  public var scopeParents: [UInt32: UInt32] = [:]
  /// The scopes that an assertion has marked as a known issue of a test, with those inside them:
  /// the objects with smaller sequence numbers than this.
  public var knownIssueScopes: [UInt32: UInt64] = [:]
  /// The findings that tests failed with, in the order of failure.
  public var testFindings: [TestFinding] = []
  /// Whether the process ended without a capture: this contains its tests until then, and no objects.
  public var isJournal = false

  public init(process: ProcessDescription, tracking: TrackingStatus) {
    self.process = process
    self.tracking = tracking
  }
}

/// The live objects of one type, counted by the recorder.
public struct CountedType: Sendable, Hashable {
  /// An index into ``Capture/types``.
  public var type: Int
  /// The number of objects whose memory is not freed.
  public var objects: UInt64
  /// The bytes that they asked for.
  public var bytes: UInt64

  public init(type: Int, objects: UInt64, bytes: UInt64) {
    self.type = type
    self.objects = objects
    self.bytes = bytes
  }
}

extension Capture {
  /// The image that a frame lies in; `nil` where it lies in none.
  package func image(of frame: Frame) -> Image? {
    frame.image.flatMap { images.indices.contains($0) ? images[$0] : nil }
  }
}

/// The reason why bytes could not be read as a capture, and the position.
public struct CaptureError: Error, Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// There are no bytes at all.
    case empty
    /// The bytes do not begin as a capture does.
    case notACapture
    /// A version of the format that this reader does not know.
    case unsupportedVersion(UInt32)
    /// The bytes end before the capture does.
    case cutOff
    /// The bytes contradict the format; the text says what is wrong.
    case damaged(String)
  }

  /// The byte at which reading stopped, counted from the beginning of the file.
  public var offset: Int
  public var reason: Reason
}

extension CaptureError {
  /// The bytes at `offset` contradict the format.
  static func damage(at offset: Int, _ what: String) -> CaptureError {
    CaptureError(offset: offset, reason: .damaged(what))
  }
}

extension CaptureError: CustomStringConvertible {
  /// The problem, its place, and what to do about it, as one line.
  public var description: String {
    switch reason {
    case .empty:
      "the capture is empty: the process ended before it could write one"
    case .notACapture:
      "not a LiveObjects capture (byte \(offset)): take one with `liveobjects run --capture FILE`"
    case .unsupportedVersion(let version):
      "the capture has format version \(version) (byte \(offset)), this reader supports version 1: "
        + "use the `liveobjects` that came with the library which wrote it"
    case .cutOff:
      "the capture is cut off at byte \(offset): its writer was stopped or the disk was full; take it again"
    case .damaged(let what):
      "the capture is damaged at byte \(offset): \(what); take it again"
    }
  }
}
