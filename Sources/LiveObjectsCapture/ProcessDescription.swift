/// The process that a capture was taken of.
public struct ProcessDescription: Sendable, Hashable {
  public var id: UInt32
  /// The sequence number from which on objects count as growth.
  public var since: UInt64
  /// The next sequence number at the time of the capture.
  public var next: UInt64
  public var executable: String
  public var arguments: [String]
  /// The time of the capture, in nanoseconds since 1970, by the clock of the process's machine.
  public var time: UInt64
  /// What its memory was used for; `nil` where that was not counted.
  public var memory: MemoryAccount?

  /// The executable's file name, without its folder.
  public var name: String { executable.fileName }

  public init(
    id: UInt32, since: UInt64 = 0, next: UInt64 = 0, executable: String, arguments: [String] = [],
    time: UInt64 = 0
  ) {
    self.id = id
    self.since = since
    self.next = next
    self.executable = executable
    self.arguments = arguments
    self.time = time
  }
}

/// The state and completeness of tracking in a process.
public struct TrackingStatus: Sendable, Hashable {
  /// The state of the recorder in the process.
  public enum State: UInt32, Sendable {
    case noRuntime = 0
    case blind, ready, tracking
  }
  /// The source of recorded allocations: the runtime's hook pointers, or GOT entries.
  public enum HookMode: UInt32, Sendable {
    case none = 0
    case pointers, gotEntries
  }
  /// The source of stack traces.
  public enum StackSource: UInt32, Sendable {
    case off = 0
    case unwindTables
  }

  public var state: State
  public var hookMode: HookMode
  public var stackSource: StackSource
  public var countsRetains: Bool
  /// Frames kept of one stack trace.
  public var depth: UInt32
  /// Bytes allocated for each stack trace, on average: an object of n bytes has one with the probability
  /// 1 − exp(−n / `sampleBytes`). 0 where every object has one.
  public var sampleBytes: UInt64
  /// Whether the process's limits, or the system, left the recorder no memory.
  public var wasShortOfMemory: Bool
  /// Whether the recorder's memory was limited by an option.
  public var hasBudget: Bool
  /// Whether tracking was stopped, for a while at least.
  public var wasStopped: Bool
  /// Whether objects may be missing that the recorder cannot count: the process has a second Swift runtime, or
  /// the hooks were replaced. The first of `notes` says which.
  public var missesObjects = false
  public var droppedRecords: UInt64
  public var droppedStackTraces: UInt64
  public var missedDeallocations: UInt64
  public var allocations: UInt64
  public var deallocations: UInt64
  /// Human-readable sentences.
  public var notes: [String]

  public init(
    state: State, hookMode: HookMode = .pointers, stackSource: StackSource = .unwindTables,
    countsRetains: Bool = false, depth: UInt32 = 64, sampleBytes: UInt64 = 0, wasShortOfMemory: Bool = false,
    hasBudget: Bool = false, wasStopped: Bool = false,
    droppedRecords: UInt64 = 0, droppedStackTraces: UInt64 = 0, missedDeallocations: UInt64 = 0,
    allocations: UInt64 = 0, deallocations: UInt64 = 0, notes: [String] = []
  ) {
    self.state = state
    self.hookMode = hookMode
    self.stackSource = stackSource
    self.countsRetains = countsRetains
    self.depth = depth
    self.sampleBytes = sampleBytes
    self.wasShortOfMemory = wasShortOfMemory
    self.hasBudget = hasBudget
    self.wasStopped = wasStopped
    self.droppedRecords = droppedRecords
    self.droppedStackTraces = droppedStackTraces
    self.missedDeallocations = missedDeallocations
    self.allocations = allocations
    self.deallocations = deallocations
    self.notes = notes
  }
}

/// An executable or library that is or was mapped into the process.
public struct Image: Sendable, Hashable {
  public var addresses: Range<UInt64>
  public var buildID: [UInt8]
  public var path: String
  /// Part of the Swift toolchain or of the system, not of the program.
  public var isSystem: Bool

  /// The file name, without its folder.
  public var name: String { path.fileName }

  public init(
    addresses: Range<UInt64>, buildID: [UInt8] = [], path: String, isSystem: Bool = false
  ) {
    self.addresses = addresses
    self.buildID = buildID
    self.path = path
    self.isSystem = isSystem
  }
}

extension String {
  /// The last component of a path.
  package var fileName: String {
    let slash = UInt8(ascii: "/")
    guard let last = utf8.lastIndex(where: { $0 != slash }) else { return self }
    guard let before = utf8[...last].lastIndex(of: slash) else { return String(self[...last]) }
    return String(self[utf8.index(after: before)...last])
  }
}
