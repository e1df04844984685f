/// The stack traces of a capture by id.
///
/// Traces share their outermost frames, so each is kept as it stands in the capture: its own frames
/// and a link to the trace it continues in. A full trace is put together when it is asked for.
public struct StackTraceTable: Sendable {
  /// The most frames that one full trace may have. The recorder keeps at most 512; without a bound
  /// a small file could describe traces of any length.
  static let maximumLength = 1024

  private struct Record {
    var own: Range<Int>
    var parent: UInt32
    /// Frames taken from the parent: its outermost ones.
    var inherited: Int

    var length: Int { own.count + inherited }
  }

  private var records: [UInt32: Record] = [:]
  private var frames: [PackedFrame] = []

  /// Only this many frames of a trace are given out, the innermost ones.
  public var depth = Int.max

  public init() {}

  /// The frames of a trace, innermost first; empty for an unknown id.
  public subscript(id: UInt32) -> [Frame] {
    get { trace(id) }
    set { define(id, continuing: nil, with: newValue.map(PackedFrame.init)) }
  }

  /// The number of frames of a trace before `depth` cuts it; `nil` for an unknown id.
  func length(of id: UInt32) -> Int? {
    records[id]?.length
  }

  /// Defines a trace. A parent must have been defined before, be smaller than `id`, and have as
  /// many frames as are taken: chains then end, and every step of one yields a frame or goes down.
  mutating func define(
    _ id: UInt32, continuing parent: (id: UInt32, frames: Int)?, with own: some Sequence<PackedFrame>
  ) {
    let start = frames.count
    frames.append(contentsOf: own)
    let link = parent.map { contributor($0.id, frames: $0.frames) } ?? 0
    records[id] = Record(own: start..<frames.count, parent: link, inherited: parent?.frames ?? 0)
  }

  /// The nearest trace, from `id` outwards, with a frame of its own among the outermost `count`.
  ///
  /// Linking to it directly keeps chains as short as the traces are long: without, a thousand
  /// traces that each differ from the one before by a frame would make a chain of a thousand links.
  private func contributor(_ id: UInt32, frames count: Int) -> UInt32 {
    var id = id
    while count > 0, let record = records[id], record.inherited >= count { id = record.parent }
    return id
  }

  private func trace(_ id: UInt32) -> [Frame] {
    guard var record = records[id] else { return [] }
    var missing = record.length
    let wanted = min(missing, depth)
    var trace: [Frame] = []
    trace.reserveCapacity(wanted)
    while true {
      let ownCount = max(0, missing - record.inherited)
      let own = frames[record.own.suffix(ownCount)].prefix(wanted - trace.count)
      trace.append(contentsOf: own.lazy.map(\.frame))
      missing = min(missing, record.inherited)
      guard trace.count < wanted, let parent = records[record.parent] else { return trace }
      record = parent
    }
  }
}
