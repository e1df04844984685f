/// A return address. The instruction that made the call lies just before it.
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

/// A frame in the 64 bits that it takes in a capture: image id above, offset below.
struct PackedFrame {
  static let noImage = 0xffff
  static let offsetBits: UInt64 = 48
  static let offsetMask: UInt64 = (1 << offsetBits) - 1

  var bits: UInt64

  /// An image id, or `noImage`.
  var image: Int { Int(bits >> Self.offsetBits) }

  var frame: Frame {
    Frame(image: image == Self.noImage ? nil : image, offset: bits & Self.offsetMask)
  }

  /// The frame lies in none of the images, or in one that is there.
  func isValid(among images: Int) -> Bool {
    image == Self.noImage || image < images
  }

  init(bits: UInt64) {
    self.bits = bits
  }

  /// - Precondition: the bytes are a multiple of eight.
  static func all(in bytes: UnsafeRawBufferPointer) -> some Sequence<PackedFrame> {
    stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size).lazy.map { offset in
      PackedFrame(bits: bytes.littleEndian(UInt64.self, at: offset))
    }
  }

  init(_ frame: Frame) {
    let image = UInt64(frame.image ?? Self.noImage)
    bits = image << Self.offsetBits | frame.offset & Self.offsetMask
  }
}

/// The stack traces of a capture by id.
///
/// Traces share their outermost frames, so each is kept as it stands in the capture: its own frames
/// and a link to the trace it continues in. A full trace is built when it is requested.
public struct StackTraceTable: Sendable {
  /// The most frames that one full trace may have. The recorder keeps at most 512; without a bound
  /// a small file could describe traces of any length.
  static let maximumLength = 1024

  private struct Record {
    /// The position of its own frames in `frames`.
    var own: Range<Int>
    /// Index of the record it continues in.
    var parent: Int?
    /// Frames taken from the parent: its outermost ones.
    var inherited: Int

    var length: Int { own.count + inherited }
  }

  /// Ascending, so that a trace is found without a second table.
  private var ids: [UInt32] = []
  /// The entries, in the order of `ids`.
  private var records: [Record] = []
  /// The own frames of all traces.
  private(set) var frames: [PackedFrame] = []

  /// The limit of frames in a returned trace, the innermost ones.
  public var depth = Int.max

  public init() {}

  /// The frames of a trace, innermost first; empty for an unknown id. Traces are set in the order of their
  /// ids.
  public subscript(id: UInt32) -> [Frame] {
    get { runs(of: id).flatMap { frames[$0].lazy.map(\.frame) } }
    set { define(id, continuing: nil, with: newValue.map(PackedFrame.init)) }
  }

  /// The highest id there is; 0 without traces.
  var lastID: UInt32 { ids.last ?? 0 }

  /// The number of frames of a trace before `depth` cuts it; `nil` for an unknown id.
  func length(of id: UInt32) -> Int? {
    recordIndex(of: id).map { records[$0].length }
  }

  /// Defines a trace.
  ///
  /// - Precondition: the id is greater than all before. A parent has been defined, and has as many frames as
  ///   are taken: chains then end, and every step of one yields a frame or goes down.
  mutating func define(
    _ id: UInt32, continuing parent: (id: UInt32, frames: Int)?, with own: some Sequence<PackedFrame>
  ) {
    precondition(ids.isEmpty || id > lastID)
    let start = frames.count
    frames.append(contentsOf: own)
    let link = parent.flatMap { contributor($0.id, frames: $0.frames) }
    ids.append(id)
    records.append(Record(own: start..<frames.count, parent: link, inherited: parent?.frames ?? 0))
  }

  /// The positions of a trace's frames in `frames`, innermost first.
  func runs(of id: UInt32) -> [Range<Int>] {
    guard var record = recordIndex(of: id).map({ records[$0] }) else { return [] }
    var runs: [Range<Int>] = []
    // Outermost frames of `record` that belong to the trace, and frames still to be given out.
    var relevant = record.length
    var missing = min(relevant, depth)
    while true {
      let run = record.own.suffix(max(0, relevant - record.inherited)).prefix(missing)
      if !run.isEmpty { runs.append(run) }
      missing -= run.count
      relevant = min(relevant, record.inherited)
      guard missing > 0, let parent = record.parent else { return runs }
      record = records[parent]
    }
  }
}

extension StackTraceTable {
  /// The nearest trace, from `id` outwards, with a frame of its own among the outermost `count`.
  ///
  /// Linking to it directly keeps chains as short as the traces are long: without, a thousand
  /// traces that each differ from the one before by a frame would be a chain of a thousand links.
  private func contributor(_ id: UInt32, frames count: Int) -> Int? {
    guard count > 0 else { return nil }
    var index = recordIndex(of: id)
    while let record = index.map({ records[$0] }), record.inherited >= count { index = record.parent }
    return index
  }

  private func recordIndex(of id: UInt32) -> Int? {
    let index = ids.partitionIndex { $0 >= id }
    return index < ids.count && ids[index] == id ? index : nil
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which a condition holds, by bisection: it holds for all elements behind
  /// that one too.
  @inlinable
  package func partitionIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Stack traces as numbers of frames, so that a million of them can be compared and named without
/// examining the same frame a million times.
package struct NumberedTraces: Sendable {
  /// Each frame once, by number.
  package private(set) var frames: [Frame] = []
  private let table: StackTraceTable
  /// The number of each of the table's frames.
  private var numbers: [Int] = []

  package init(_ table: StackTraceTable) {
    self.table = table
    var known: [UInt64: Int] = [:]
    numbers.reserveCapacity(table.frames.count)
    for packed in table.frames {
      let number = known[packed.bits] ?? frames.count
      if number == frames.count {
        known[packed.bits] = number
        frames.append(packed.frame)
      }
      numbers.append(number)
    }
  }

  /// The numbers of a trace's frames, innermost first; empty for an unknown id.
  package subscript(id: UInt32) -> [Int] {
    table.runs(of: id).flatMap { numbers[$0] }
  }

  /// The frames of some traces.
  package func frames(of ids: Set<UInt32>) -> Set<Frame> {
    var isUsed = [Bool](repeating: false, count: frames.count)
    for id in ids {
      for number in self[id] { isUsed[number] = true }
    }
    return Set(zip(frames, isUsed).lazy.filter(\.1).map(\.0))
  }
}
