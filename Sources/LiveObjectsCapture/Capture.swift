/// The state of a recorder at one moment: the live objects of a process, their types, and the stack
/// traces that allocated them. Decoded from the stream that `Documentation/internals/capture-format.md` specifies.
public struct Capture: Sendable {
  public var process: ProcessDescription
  public var tracking: TrackingStatus
  /// Indexed by image id.
  public var images: [Image]
  /// Indexed by type id minus one.
  public var types: [TypeDescription]
  public var objects: [LiveObject]
  /// Retains and releases by object address; empty where they were not counted.
  public var retainCounts: [ObjectAddress: RetainCount]
  public var stackTraces: StackTraceTable
  /// `nil` where references were not requested.
  public var graph: HeapGraph?
  /// The tests, in the order in which they began.
  public var tests: [TestDescription]
  /// The process announced each of its tests: without any, none ran.
  package var listsTests = false
  /// The scope that each scope was opened in, for those that were opened in one.
  public var scopeParents: [UInt32: UInt32]
  /// The scopes that an assertion has marked as a known issue of a test, with those inside them:
  /// the objects with smaller sequence numbers than this.
  public var knownIssueScopes: [UInt32: UInt64] = [:]
  /// The findings that tests failed with, in the order of failure.
  public var testFindings: [TestFinding] = []
  /// Whether the process ended without a capture: this contains its tests until then, and no objects.
  public var isJournal = false

  public init(
    process: ProcessDescription, tracking: TrackingStatus, images: [Image] = [],
    types: [TypeDescription] = [], objects: [LiveObject] = [],
    retainCounts: [ObjectAddress: RetainCount] = [:], stackTraces: StackTraceTable = StackTraceTable(),
    graph: HeapGraph? = nil, tests: [TestDescription] = [], scopeParents: [UInt32: UInt32] = [:]
  ) {
    self.process = process
    self.tracking = tracking
    self.images = images
    self.types = types
    self.objects = objects
    self.retainCounts = retainCounts
    self.stackTraces = stackTraces
    self.graph = graph
    self.tests = tests
    self.scopeParents = scopeParents
  }
}
