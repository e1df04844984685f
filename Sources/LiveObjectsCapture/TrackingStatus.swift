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
    case unwindTables, framePointers
  }

  public var state: State
  public var hookMode: HookMode
  public var stackSource: StackSource
  public var countsRetains: Bool
  /// Frames kept of one stack trace.
  public var depth: UInt32
  /// Whether the process's limits, or the system, left the recorder no memory.
  public var wasShortOfMemory: Bool
  public var droppedRecords: UInt64
  public var droppedStackTraces: UInt64
  public var missedDeallocations: UInt64
  public var allocations: UInt64
  public var deallocations: UInt64
  /// Human-readable sentences.
  public var notes: [String]

  public init(
    state: State, hookMode: HookMode = .pointers, stackSource: StackSource = .unwindTables,
    countsRetains: Bool = false, depth: UInt32 = 64, wasShortOfMemory: Bool = false,
    droppedRecords: UInt64 = 0, droppedStackTraces: UInt64 = 0, missedDeallocations: UInt64 = 0,
    allocations: UInt64 = 0, deallocations: UInt64 = 0, notes: [String] = []
  ) {
    self.state = state
    self.hookMode = hookMode
    self.stackSource = stackSource
    self.countsRetains = countsRetains
    self.depth = depth
    self.wasShortOfMemory = wasShortOfMemory
    self.droppedRecords = droppedRecords
    self.droppedStackTraces = droppedStackTraces
    self.missedDeallocations = missedDeallocations
    self.allocations = allocations
    self.deallocations = deallocations
    self.notes = notes
  }
}
