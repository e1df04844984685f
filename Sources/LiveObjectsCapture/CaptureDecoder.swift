/// Puts a capture together from its sections. Everything that one record says about another is
/// checked here, so that later code has no invalid index.
struct CaptureDecoder {
  private var process: ProcessDescription?
  private var tracking: TrackingStatus?
  private var sampleBytes: UInt64 = 0
  /// All but the process, the tracking status and the heap graph.
  var capture = Capture(
    process: ProcessDescription(id: 0, executable: ""), tracking: TrackingStatus(state: .noRuntime))
  var graph = HeapGraph()
  /// References by words that are not the address of their target, ascending by source.
  var words: [Reference] = []
  /// Whether a section said how well the heap was read.
  var hasGraph = false
  /// Indices into `Capture.tests`, by the numbers that the recorder gave the tests.
  var testIndices: [UInt32: Int] = [:]
  var lastTest: UInt32 = 0

  static func decode(_ sections: [Section], of file: FileBytes) throws(CaptureError) -> Capture {
    var decoder = CaptureDecoder()
    decoder.reserve(for: sections)
    for section in sections {
      for piece in section.pieces {
        var reader = try file.reader(
          of: piece, overrun: .damaged("a record reaches past the end of its section"))
        try decoder.decode(section.tag, &reader)
        file.discard(piece)
      }
    }
    try decoder.finish(end: sections.last?.payload.upperBound ?? 0)
    return decoder.capture
  }

  /// Makes room once. The sums cannot exceed the file, so neither can what is allocated, by much.
  private mutating func reserve(for sections: [Section]) {
    var size: [String: Int] = [:]
    for section in sections { size[section.tag, default: 0] += section.payload.count }
    capture.objects.reserveCapacity((size["OBJS"] ?? 0) / LiveObject.recordSize)
    graph.references.reserveCapacity((size["REFS"] ?? 0) / Reference.recordSize)
  }

  private mutating func decode(_ tag: String, _ reader: inout ByteReader) throws(CaptureError) {
    switch tag {
    case "PROC": try decodeProcess(&reader)
    case "STAT": try decodeStatus(&reader)
    case "SAMP": try decodeSampling(&reader)
    case "IMAG": while !reader.isAtEnd { try decodeImage(&reader) }
    case "TYPE": while !reader.isAtEnd { try decodeType(&reader) }
    case "OBJS": try decodeObjects(&reader)
    case "STAK": while !reader.isAtEnd { try decodeStackTrace(&reader) }
    default: guard try decodeOther(tag, &reader) else { return }
    }
    guard reader.isAtEnd else { throw .damage(at: reader.offset, "a section is longer than its content") }
  }

  /// The library takes at most 1 GiB (`sample` in options.def). More would let the sums of estimates overflow.
  private mutating func decodeSampling(_ reader: inout ByteReader) throws(CaptureError) {
    sampleBytes = try reader.u64()
    guard sampleBytes <= 1 << 30 else {
      throw .damage(at: reader.offset, "its sample size is more than 1 GiB")
    }
  }

  /// - Returns: false for an unknown section; nothing was read then.
  private mutating func decodeOther(_ tag: String, _ reader: inout ByteReader) throws(CaptureError) -> Bool {
    switch tag {
    case "CNTS":
      try decodeCountedTypes(&reader)
      return true
    case "MEMO":
      guard process != nil, process?.memory == nil else {
        throw .damage(
          at: reader.offset, "it accounts for memory twice, or before it says of which process it is")
      }
      process?.memory = try MemoryAccount(&reader)
      return true
    default: break
    }
    if try decodeHeapGraph(tag, &reader) { return true }
    return try decodeTests(tag, &reader)
  }

  /// Completes `capture`. It does not return that: where a function that throws ends by copying a large result, Swift
  /// 6.0 with optimisation, for arm64, may return another value than `nil` in the error's register.
  private mutating func finish(end: Int) throws(CaptureError) {
    guard let process else { throw .damage(at: end, "it does not say which process it is of") }
    guard let tracking else { throw .damage(at: end, "it does not say how the process was watched") }
    (capture.process, capture.tracking) = (process, tracking)
    capture.tracking.sampleBytes = sampleBytes
    if !words.isEmpty { graph.references = (graph.references + words).sorted { $0.source < $1.source } }
    if hasGraph { capture.graph = graph }
    if tracking.depth > 0 { capture.stackTraces.depth = Int(tracking.depth) }
  }
}

// MARK: - Descriptions

extension CaptureDecoder {
  private mutating func decodeProcess(_ reader: inout ByteReader) throws(CaptureError) {
    guard process == nil else { throw .damage(at: reader.offset, "it describes two processes") }
    let (id, _, time) = (try reader.u32(), try reader.u32(), try reader.u64())
    process = ProcessDescription(
      id: id, since: try reader.u64(), next: try reader.u64(), executable: try reader.string(),
      arguments: try reader.strings(), time: time)
  }

  private mutating func decodeStatus(_ reader: inout ByteReader) throws(CaptureError) {
    guard tracking == nil else { throw .damage(at: reader.offset, "it holds two tracking states") }
    let start = reader.offset
    guard let state = TrackingStatus.State(rawValue: try reader.u32()),
      let hookMode = TrackingStatus.HookMode(rawValue: try reader.u32()),
      let stackSource = TrackingStatus.StackSource(rawValue: try reader.u32())
    else { throw .damage(at: start, "the tracking state is unknown") }
    let retains = try reader.u32()
    let depth = try reader.u32()
    let flags = try reader.u32()
    tracking = TrackingStatus(
      state: state, hookMode: hookMode, stackSource: stackSource, countsRetains: retains != 0, depth: depth,
      wasShortOfMemory: flags & 2 != 0, hasBudget: flags & 4 != 0, wasStopped: flags & 8 != 0,
      droppedRecords: try reader.u64(),
      droppedStackTraces: try reader.u64(), missedDeallocations: try reader.u64(),
      allocations: try reader.u64(), deallocations: try reader.u64(), notes: try reader.strings())
    tracking?.missesObjects = flags & 16 != 0
  }

  private mutating func decodeImage(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    guard Int(try reader.u32()) == capture.images.count, capture.images.count < PackedFrame.noImage else {
      throw .damage(at: start, "an image is out of order")
    }
    let flags = try reader.u32()
    let (_, first, end) = (try reader.u64(), try reader.u64(), try reader.u64())
    guard first <= end else { throw .damage(at: start, "an image ends before it begins") }
    capture.images.append(
      Image(
        addresses: first..<end, buildID: try reader.byteString(), path: try reader.string(),
        isSystem: flags & 1 != 0))
  }

  private mutating func decodeType(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    guard Int(try reader.u32()) == capture.types.count + 1, capture.types.count < LiveObject.typeLimit else {
      throw .damage(at: start, "a type is out of order")
    }
    guard let kind = TypeDescription.Kind(rawValue: try reader.u32()) else {
      throw .damage(at: start, "a type is of an unknown kind")
    }
    let metadata = try reader.u64()
    let imageID = try reader.u32()
    let image = imageID == .max ? nil : Int(imageID)
    guard image.map(capture.images.indices.contains) ?? true else {
      throw .damage(at: start, "a type names an image that is not there")
    }
    capture.types.append(
      TypeDescription(
        kind: kind, metadata: metadata, image: image, captureCount: try reader.u32(),
        name: try reader.string()))
  }
}

// MARK: - Counts

extension CaptureDecoder {
  private mutating func decodeCountedTypes(_ reader: inout ByteReader) throws(CaptureError) {
    var counted = capture.countedTypes ?? []
    while !reader.isAtEnd {
      let start = reader.offset
      let (id, _) = (try reader.u32(), try reader.u32())
      guard id > 0, id <= capture.types.count else {
        throw .damage(at: start, "a count is of a type that is not there")
      }
      counted.append(CountedType(type: Int(id - 1), objects: try reader.u64(), bytes: try reader.u64()))
    }
    capture.countedTypes = counted
  }
}

// MARK: - Objects and stack traces

extension CaptureDecoder {
  private mutating func decodeObjects(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let section = try reader.records(of: LiveObject.recordSize)
    for offset in stride(from: 0, to: section.count, by: LiveObject.recordSize) {
      guard let object = LiveObject(section, at: offset, types: capture.types.count) else {
        throw .damage(at: start + offset, "an object is of a type that is not there")
      }
      capture.objects.append(object)
    }
    guard capture.objects.count < Self.mostObjects else {
      throw .damage(at: start, "it has more objects than can be analysed")
    }
  }

  /// The analysis numbers them with 31 bits.
  private static var mostObjects: Int { 1 << 31 }

  private mutating func decodeStackTrace(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (id, parent) = (try reader.u32(), try reader.u32())
    let (ownCount, inherited) = (Int(try reader.u32()), Int(try reader.u32()))
    try checkStackTrace(id: id, parent: parent, inherited: inherited, at: start)
    guard ownCount + inherited <= StackTraceTable.maximumLength else {
      throw .damage(at: start, "a stack trace is longer than any can be")
    }
    let frames = try reader.raw(ownCount * MemoryLayout<UInt64>.size)
    guard PackedFrame.all(in: frames).allSatisfy({ $0.isValid(among: capture.images.count) }) else {
      throw .damage(at: start, "a frame lies in an image that is not there")
    }
    let link = inherited == 0 ? nil : (id: parent, frames: inherited)
    capture.stackTraces.define(id, continuing: link, with: PackedFrame.all(in: frames))
  }

  /// Parents come first and are smaller, so that no chain of them can lead back to where it began.
  private func checkStackTrace(
    id: UInt32, parent: UInt32, inherited: Int, at offset: Int
  ) throws(CaptureError) {
    guard id > capture.stackTraces.lastID else {
      throw .damage(at: offset, "stack trace \(id) is out of order")
    }
    let available = parent == 0 ? 0 : parent < id ? capture.stackTraces.length(of: parent) : nil
    guard let available else {
      throw .damage(at: offset, "stack trace \(id) continues in \(parent), which is not before it")
    }
    guard inherited <= available else {
      throw .damage(at: offset, "stack trace \(id) takes more frames from \(parent) than that has")
    }
  }
}
