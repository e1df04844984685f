/// How well the process was watched.
public struct TrackingStatus: Sendable, Hashable {
  /// How far the recorder got in the process.
  public enum State: UInt32, Sendable {
    case noRuntime = 0
    case blind, ready, tracking
  }
  /// By which way it saw allocations: the runtime's hook pointers, or its allocator slots.
  public enum Way: UInt32, Sendable {
    case none = 0
    case pointers, slots
  }
  /// Where stack traces come from.
  public enum StackSource: UInt32, Sendable {
    case off = 0
    case unwindTables, framePointers
  }

  public var state: State
  public var way: Way
  public var stackSource: StackSource
  public var countsRetains: Bool
  /// Frames kept of one stack trace.
  public var depth: UInt32
  /// Whether the process's limits, or the system, left the recorder no memory.
  public var wasShortOfMemory: Bool
  public var droppedRecords: UInt64
  public var droppedStackTraces: UInt64
  public var missedDeaths: UInt64
  public var allocations: UInt64
  public var deaths: UInt64
  /// Sentences for people.
  public var notes: [String]

  public init(
    state: State, way: Way = .pointers, stackSource: StackSource = .unwindTables,
    countsRetains: Bool = false, depth: UInt32 = 64, wasShortOfMemory: Bool = false,
    droppedRecords: UInt64 = 0, droppedStackTraces: UInt64 = 0, missedDeaths: UInt64 = 0,
    allocations: UInt64 = 0, deaths: UInt64 = 0, notes: [String] = []
  ) {
    self.state = state
    self.way = way
    self.stackSource = stackSource
    self.countsRetains = countsRetains
    self.depth = depth
    self.wasShortOfMemory = wasShortOfMemory
    self.droppedRecords = droppedRecords
    self.droppedStackTraces = droppedStackTraces
    self.missedDeaths = missedDeaths
    self.allocations = allocations
    self.deaths = deaths
    self.notes = notes
  }
}
