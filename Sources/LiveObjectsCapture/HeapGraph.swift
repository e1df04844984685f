/// The references between objects, as read from the heap at one moment.
public struct HeapGraph: Sendable {
  /// The completeness of the heap graph.
  public struct Status: Sendable, Hashable {
    /// False where the heap could not be read at all; `notes` say why.
    public var wasRead = true
    /// Threads that were alive.
    public var threads: UInt32 = 1
    /// Objects that could not be read.
    public var unreadObjects: UInt32 = 0
    /// Objects that were only scanned, because their metadata was missing.
    public var scannedObjects: UInt32 = 0
    /// The stack of some thread was not read.
    public var missesStacks = false
    /// Whether memory outside of the heap was left out.
    public var missesRoots = false
    /// Whether the registers of all other threads were read, while they stood still.
    public var hasRegisters = false
    /// Whether it is partial: it contains only objects reachable from those that one test left behind,
    /// without roots and other holders.
    public var isPartial = false
    /// Human-readable sentences.
    public var notes: [String] = []

    /// Whether no other thread can have held an object in a register that was not read.
    package var hasAllRegisters: Bool { threads <= 1 || hasRegisters }

    /// Whether every object was read.
    package var isEvaluated: Bool { evaluationFailure == nil }

    /// The reason why a leak may be missing; `nil` if every object was read.
    package var evaluationFailure: String? {
      if !wasRead { return notes.isEmpty ? "references were not read" : notes.joined(separator: "; ") }
      if unreadObjects == 0 { return nil }
      return unreadObjects == 1 ? "1 object could not be read" : "\(unreadObjects) objects could not be read"
    }
  }

  public var status = Status()
  public var labels: [ReferenceLabel] = []
  /// Code of closures; each address is one past the function's first, like a return address.
  public var functions: [Frame] = []
  /// The references, ascending by source.
  public var references: [Reference] = []
  /// The storages of arrays, dictionaries and sets whose number of elements is known, ascending by object.
  public var elementCounts: [ElementCount] = []
  /// Blocks of the allocator that objects point to and that are no objects: their bytes.
  public var blocks: [UInt64] = []
  /// The objects that point to blocks, ascending by object.
  public var blockOwners: [BlockOwner] = []
  /// The raw buffers that code of the program allocated and to which no word leads, not even one inside of them.
  /// Indices into `Capture.objects`.
  public var lostBuffers: [UInt32] = []
  public var roots: [Root] = []
  public var tasks: [TaskDescription] = []
  public var retainSites: [RetainSite] = []
  /// The names of a type's superclasses, the nearest first, by index into `Capture.types`.
  public var superclasses: [Int: [String]] = [:]

  public init() {}
  public init(status: Status) { self.status = status }
}

extension HeapGraph {
  /// The number of elements in the storage of an array, a dictionary or a set; `nil` where it is not known.
  package func elements(in object: Int) -> Int? {
    let index = elementCounts.partitionIndex { $0.object >= object }
    guard index < elementCounts.count, elementCounts[index].object == object else { return nil }
    return Int(elementCounts[index].count)
  }
}

/// An object that points to a block of the allocator.
public struct BlockOwner: Sendable, Hashable {
  /// Index into `Capture.objects`.
  public var object: UInt32
  /// Index into `HeapGraph.blocks`.
  public var block: UInt32

  public init(object: UInt32, block: UInt32) {
    self.object = object
    self.block = block
  }
}

/// The number of elements in the storage of an array, a dictionary or a set.
public struct ElementCount: Sendable, Hashable {
  /// Index into `Capture.objects`.
  public var object: UInt32
  public var count: UInt32

  public init(object: UInt32, count: UInt32) {
    self.object = object
    self.count = count
  }
}

/// The state of an asynchronous task at the capture.
public struct TaskDescription: Sendable, Hashable {
  public enum State: UInt32, Sendable {
    case unknown = 0
    case running, enqueued, suspended, complete
  }
  /// What a task that does not run waits for.
  public enum Wait: UInt32, Sendable {
    case nothing = 0
    /// The value of another task.
    case task
    case continuation, group, executor
  }
  /// Index into `Capture.objects`.
  public var object: UInt32
  public var state: State
  public var wait: Wait
  /// Whether an `async let` task in its memory is not suspended, and may resume it.
  public var hasActiveChild: Bool
  /// Whether it is enqueued on an executor of the program's, which keeps it as a job until it runs it.
  public var isInExecutor: Bool
  /// The functions it will resume in, innermost first.
  public var frames: [Frame]

  public init(
    object: UInt32, state: State, wait: Wait = .nothing, hasActiveChild: Bool = false,
    isInExecutor: Bool = false, frames: [Frame] = []
  ) {
    self.object = object
    self.state = state
    self.wait = wait
    self.hasActiveChild = hasActiveChild
    self.isInExecutor = isInExecutor
    self.frames = frames
  }
}

/// Retains and releases of one object by one call.
public struct RetainSite: Sendable, Hashable {
  /// Index into `Capture.objects`.
  public var object: UInt32
  /// A key of `Capture.stackTraces`; 0 for those that found no room in the ledger.
  public var stackTrace: UInt32
  public var retains: UInt32
  public var releases: UInt32

  public init(object: UInt32, stackTrace: UInt32, retains: UInt32, releases: UInt32) {
    self.object = object
    self.stackTrace = stackTrace
    self.retains = retains
    self.releases = releases
  }
}
