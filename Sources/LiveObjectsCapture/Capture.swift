/// What a recorder knew at one moment: the live objects of a process, their types, and the stack
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
  /// `nil` where the recorder was not asked for references.
  public var graph: HeapGraph?
  /// In the order in which they began.
  public var tests: [TestDescription]
  /// The process announced each of its tests: without any, none ran.
  package var tellsTests = false
  /// The scope that each scope was opened in, for those that were opened in one.
  public var scopeParents: [UInt32: UInt32]
  /// What was left behind in these and in scopes inside them is a known issue of a test, told by an assertion:
  /// the objects with smaller sequence numbers than this.
  public var knownScopes: [UInt32: UInt64] = [:]
  /// What tests failed with when they ended, in that order.
  public var testFindings: [TestFinding] = []
  /// The process ended without a capture: no more is here than what was known of its tests until then.
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
