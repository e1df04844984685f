internal import CLiveObjects
package import LiveObjectsCapture
internal import LiveObjectsSystem

/// The one place that calls the recorder in C.
package enum Recorder {
  static func start(_ options: LiveObjects.TrackingOptions) throws(LiveObjects.TrackingError) {
    var wanted = liveobj_settings_default()
    wanted.stacks = options.backtraces
    wanted.depth = UInt32(clamping: options.depth)
    wanted.retains = options.retains != .off
    let state = options.retains.patterns.withCString { patterns in
      wanted.retained_types = options.retains == .all ? nil : patterns
      return liveobj_start(&wanted)
    }
    guard state == LIVEOBJ_STATE_TRACKING else { throw whyNot }
  }

  static func stop() {
    ignoring { stopCount.withLock { $0 += 1 } }
    liveobj_stop()
  }

  /// The number of stops of tracking by now, which shows a stop and a new start within a measurement.
  static var stops: Int { stopCount.withLock { $0 } }

  private static let stopCount = Locked(0)

  private static var whyNot: LiveObjects.TrackingError {
    #if os(Linux)
      .cannotWatch(reason: String(cString: liveobj_status().reason))
    #else
      .notAvailable
    #endif
  }

  static var status: TrackingStatus {
    ignoring { TrackingStatus(liveobj_status()) }
  }

  package static var isTracking: Bool { liveobj_status().state == LIVEOBJ_STATE_TRACKING }

  package static func mark() -> UInt64 { liveobj_mark() }

  package static func makeScope() -> UInt32 { liveobj_scope_make() }

  /// - Parameter key: lives forever, as a static does.
  static func setScopeKey(_ key: TaskLocal<UInt32>) {
    liveobj_scope_set_key(LIVEOBJ_SCOPE_DIFFS, Unmanaged.passUnretained(key).toOpaque())
  }

  /// The live objects from a sequence number on, as the bytes of a capture.
  ///
  /// - Parameter references: whether to read references; all live objects are in the capture then, and the tests.
  package static func capture(
    since mark: UInt64, references: Bool = false
  ) throws(LiveObjects.TrackingError) -> RawCapture {
    try captured(since: mark, references ? LIVEOBJ_CONTENTS_GRAPH_OF_TEST : LIVEOBJ_CONTENTS_UNATTRIBUTED)
  }

  /// The number of live objects of each type, as the bytes of a capture.
  static func counts() throws(LiveObjects.TrackingError) -> RawCapture {
    try captured(since: 0, LIVEOBJ_CONTENTS_COUNTS)
  }

  private static func captured(
    since mark: UInt64, _ contents: liveobj_contents
  ) throws(LiveObjects.TrackingError) -> RawCapture {
    let buffer = liveobj_capture_to_memory(mark, contents)
    guard let bytes = buffer.bytes else { throw .captureFailed(reason: "there is no memory left for it.") }
    return ignoring { RawCapture(bytes: UnsafeRawBufferPointer(start: bytes, count: buffer.count)) }
  }

  static func free(_ bytes: UnsafeRawBufferPointer) {
    liveobj_buffer_free(
      liveobj_buffer(bytes: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count))
  }

  /// Forgets what calls that have returned left on this thread's stack.
  package static func forgetStack() { liveobj_stack_overwrite() }

  /// Free memory at the addresses of stale pointers on this thread's stack: while it is reserved, no new object
  /// is allocated there and counts as held by such a pointer.
  package struct ReservedMemory: ~Copyable {
    private let blocks = liveobj_reserved_memory_allocate()
    package init() {}
    deinit { liveobj_reserved_memory_free(blocks) }
  }

  /// Runs work of our own: what it allocates on this thread is not recorded.
  package static func ignoring<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    liveobj_ignore_begin()
    defer { liveobj_ignore_end() }
    return try work()
  }

  /// Swift Testing runs tests concurrently, so the time of an allocation does not identify its test.
  package static let runsSwiftTesting = ignoring {
    let arguments = CommandLine.arguments
    return zip(arguments, arguments.dropFirst()).contains { $0 == ("--testing-library", "swift-testing") }
  }
}

extension LiveObjects.Retains {
  /// The value in the syntax of the recorder.
  fileprivate var patterns: String {
    guard case .types(let names) = self else { return "" }
    return names.joined(separator: ",")
  }
}

extension TrackingStatus {
  fileprivate init(_ status: liveobj_status) {
    let reason = status.reason.map { String(cString: $0) } ?? ""
    self.init(
      state: State(rawValue: status.state.rawValue) ?? .blind,
      hookMode: HookMode(rawValue: status.hook_mode.rawValue) ?? .none,
      stackSource: StackSource(rawValue: status.stacks.rawValue) ?? .off,
      countsRetains: status.retains, depth: status.depth, wasStopped: status.was_stopped,
      droppedRecords: status.dropped_records,
      droppedStackTraces: status.dropped_stacks, missedDeallocations: status.missed_deallocations,
      allocations: status.allocations, deallocations: status.deallocations,
      notes: reason.isEmpty ? [] : [reason])
  }
}

/// The bytes of a capture, as the recorder wrote them.
///
/// Sendable because the bytes never change.
package final class RawCapture: @unchecked Sendable {
  private let bytes: UnsafeRawBufferPointer

  /// Takes over memory that the recorder allocated.
  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  deinit { Recorder.free(bytes) }

  package func decoded() throws(LiveObjects.TrackingError) -> Capture {
    do {
      return try Recorder.ignoring { () throws(CaptureError) in try Capture(decoding: bytes) }
    } catch {
      throw .captureFailed(reason: "\(error)")
    }
  }
}
