/// What a recorder knew at one moment: the live objects of a process, their types, and the stack
/// traces that allocated them. Decoded from the stream that `Documentation/capture-format.md` specifies.
public struct Capture: Sendable {
  public var process: ProcessDescription
  public var tracking: TrackingStatus
  /// Indexed by image id.
  public var images: [Image]
  /// Indexed by type id minus one.
  public var types: [TypeDescription]
  public var objects: [LiveObject]
  /// Retains and releases by object address; empty where they were not counted.
  public var retainCounts: [UInt64: RetainCount]
  public var stackTraces: StackTraceTable

  public init(
    process: ProcessDescription, tracking: TrackingStatus, images: [Image] = [],
    types: [TypeDescription] = [], objects: [LiveObject] = [],
    retainCounts: [UInt64: RetainCount] = [:], stackTraces: StackTraceTable = StackTraceTable()
  ) {
    self.process = process
    self.tracking = tracking
    self.images = images
    self.types = types
    self.objects = objects
    self.retainCounts = retainCounts
    self.stackTraces = stackTraces
  }
}

public struct ProcessDescription: Sendable, Hashable {
  public var id: UInt32
  /// The ELF machine number: 62 x86_64, 183 aarch64.
  public var machine: UInt32
  /// Wall clock, nanoseconds since 1970.
  public var time: UInt64
  /// The capture holds the objects from this sequence number on.
  public var since: UInt64
  /// The next sequence number at the time of the capture.
  public var next: UInt64
  public var executable: String
  public var arguments: [String]

  public init(
    id: UInt32, machine: UInt32 = 62, time: UInt64 = 0, since: UInt64 = 0, next: UInt64 = 0,
    executable: String, arguments: [String] = []
  ) {
    self.id = id
    self.machine = machine
    self.time = time
    self.since = since
    self.next = next
    self.executable = executable
    self.arguments = arguments
  }
}

public struct TrackingStatus: Sendable, Hashable {
  public enum State: UInt32, Sendable { case noRuntime = 0, blind, ready, tracking }
  public enum Way: UInt32, Sendable { case none = 0, pointers, slots }
  public enum StackSource: UInt32, Sendable { case off = 0, unwindTables, framePointers }

  public var state: State
  public var way: Way
  public var stackSource: StackSource
  public var countsRetains: Bool
  /// Frames kept of one stack trace.
  public var depth: UInt32
  public var droppedRecords: UInt64
  public var droppedStackTraces: UInt64
  public var missedDeaths: UInt64
  public var allocations: UInt64
  public var deaths: UInt64
  /// Sentences for people.
  public var notes: [String]

  public init(
    state: State, way: Way = .pointers, stackSource: StackSource = .unwindTables,
    countsRetains: Bool = false, depth: UInt32 = 64, droppedRecords: UInt64 = 0,
    droppedStackTraces: UInt64 = 0, missedDeaths: UInt64 = 0, allocations: UInt64 = 0,
    deaths: UInt64 = 0, notes: [String] = []
  ) {
    self.state = state
    self.way = way
    self.stackSource = stackSource
    self.countsRetains = countsRetains
    self.depth = depth
    self.droppedRecords = droppedRecords
    self.droppedStackTraces = droppedStackTraces
    self.missedDeaths = missedDeaths
    self.allocations = allocations
    self.deaths = deaths
    self.notes = notes
  }
}

/// An executable or library that was mapped into the process.
public struct Image: Sendable, Hashable {
  public var loadBias: UInt64
  public var addresses: Range<UInt64>
  public var buildID: [UInt8]
  public var path: String
  /// Part of the Swift toolchain or of the system, not of the program.
  public var isSystem: Bool

  public init(
    loadBias: UInt64, addresses: Range<UInt64>, buildID: [UInt8] = [], path: String,
    isSystem: Bool = false
  ) {
    self.loadBias = loadBias
    self.addresses = addresses
    self.buildID = buildID
    self.path = path
    self.isSystem = isSystem
  }
}

public struct TypeDescription: Sendable, Hashable {
  public enum Kind: UInt32, Sendable {
    case classInstance = 1
    /// A closure context or a box of fixed layout: the compiler emits both alike.
    case closureContextOrBox
    case genericBox
    case errorBox
    case rawBuffer
    case other
  }
  public var kind: Kind
  public var metadata: UInt64
  /// The image that holds the metadata.
  public var image: Int?
  /// Values captured, where `kind` is `closureContextOrBox`.
  public var captureCount: UInt32
  /// As the runtime spells it; empty where it has none.
  public var name: String

  public init(
    kind: Kind, metadata: UInt64 = 0, image: Int? = nil, captureCount: UInt32 = 0, name: String
  ) {
    self.kind = kind
    self.metadata = metadata
    self.image = image
    self.captureCount = captureCount
    self.name = name
  }
}

/// One object (or raw buffer) that was alive at the capture.
public struct LiveObject: Sendable, Hashable {
  public var address: UInt64
  /// Bytes asked for when it was allocated.
  public var bytes: UInt64
  public var sequence: UInt64
  /// Index into `Capture.types`.
  public var type: Int
  /// A key of `Capture.stackTraces`; 0 for none.
  public var stackTrace: UInt32
  /// 0 for none.
  public var scope: UInt32
  /// Its deinit has run; unowned references keep its memory.
  public var isPinned: Bool
  /// `nil` where it was not read.
  public var strongCount: UInt32?

  public init(
    address: UInt64, bytes: UInt64, sequence: UInt64, type: Int, stackTrace: UInt32 = 0,
    scope: UInt32 = 0, isPinned: Bool = false, strongCount: UInt32? = nil
  ) {
    self.address = address
    self.bytes = bytes
    self.sequence = sequence
    self.type = type
    self.stackTrace = stackTrace
    self.scope = scope
    self.isPinned = isPinned
    self.strongCount = strongCount
  }
}

public struct RetainCount: Sendable, Hashable {
  public var retains: UInt64
  public var releases: UInt64

  public init(retains: UInt64, releases: UInt64) {
    self.retains = retains
    self.releases = releases
  }
}

/// A return address.
public struct Frame: Sendable, Hashable {
  /// Index into `Capture.images`; `nil` where the address lies in none.
  public var image: Int?
  /// The address minus the image's load bias, or the address itself without an image.
  public var offset: UInt64

  public init(image: Int?, offset: UInt64) {
    self.image = image
    self.offset = offset
  }
}
