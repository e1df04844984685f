import LiveObjectsCapture

/// Builds captures for tests, piece by piece.
///
/// `capture` is the value, `bytes` the stream that a recorder would have written.
public struct CaptureBuilder {
  public internal(set) var capture: Capture
  /// The sections of the stream; tests may add invalid ones.
  public var stackTraceRecords: [StackTraceRecord] = []

  /// An executable is image 0.
  public init(
    executable: String = "/app/demo", buildID: [UInt8] = [1, 2, 3, 4], processID: UInt32 = 12,
    tracking: TrackingStatus = TrackingStatus(state: .tracking)
  ) {
    capture = Capture(
      process: ProcessDescription(id: processID, executable: executable, arguments: [executable]),
      tracking: tracking)
    image(executable, buildID: buildID)
  }

  /// Makes it a capture of counts.
  ///
  /// - Parameter time: in nanoseconds since 1970.
  public mutating func counts(_ counts: [CountedType], time: UInt64 = 0) {
    capture.countedTypes = counts
    capture.process.time = time
  }

  /// Only a sample of the objects has stack traces.
  public mutating func sample(every bytes: UInt64) { capture.tracking.sampleBytes = bytes }

  @discardableResult
  public mutating func image(
    _ path: String, buildID: [UInt8] = [1, 2, 3, 4], isSystem: Bool = false
  ) -> Int {
    let base = UInt64(capture.images.count + 1) << 32
    capture.images.append(
      Image(
        addresses: base..<base + 0x10_0000, buildID: buildID, path: path, isSystem: isSystem))
    return capture.images.count - 1
  }

  /// - Returns: an index into `Capture.types`.
  public mutating func type(
    _ name: String, kind: TypeDescription.Kind = .classInstance, image: Int? = 0, captureCount: UInt32 = 0
  ) -> Int {
    let metadata = UInt64(0x5000 + capture.types.count * 64)
    capture.types.append(
      TypeDescription(kind: kind, metadata: metadata, image: image, captureCount: captureCount, name: name))
    return capture.types.count - 1
  }

  /// - Parameters:
  ///   - offsets: return addresses in `image`, innermost first.
  ///   - parent: a trace whose outermost frames follow.
  public mutating func stackTrace(
    _ offsets: [UInt64], image: Int? = 0, continuing parent: UInt32 = 0, taking inherited: Int = 0
  ) -> UInt32 {
    let own = offsets.map { Frame(image: image, offset: $0) }
    return stackTrace(own, continuing: parent, taking: inherited)
  }

  public mutating func stackTrace(
    _ own: [Frame], continuing parent: UInt32 = 0, taking inherited: Int = 0
  ) -> UInt32 {
    let id = UInt32(stackTraceRecords.count + 1)
    let rest = capture.stackTraces[parent].suffix(inherited)
    capture.stackTraces[id] = own + rest
    stackTraceRecords.append(
      StackTraceRecord(id: id, parent: parent, inherited: UInt32(inherited), own: own))
    return id
  }

  /// - Returns: their indices into `Capture.objects`.
  @discardableResult
  public mutating func objects(
    _ count: Int = 1, of type: Int, bytes: UInt64 = 32, stackTrace: UInt32 = 0, scope: UInt32 = 0,
    isPinned: Bool = false, wasWeaklyReferenced: Bool = false, strongCount: UInt32? = 1
  ) -> Range<Int> {
    let first = capture.objects.count
    for _ in 0..<count {
      let sequence = capture.process.next + 1
      capture.process.next = sequence
      capture.objects.append(
        LiveObject(
          address: 0x7f00_0000_0000 + sequence * 64, bytes: bytes, sequence: sequence, type: type,
          stackTrace: stackTrace, scope: scope, isPinned: isPinned, wasWeaklyReferenced: wasWeaklyReferenced,
          strongCount: strongCount))
    }
    return first..<capture.objects.count
  }

  /// The object is gone, and another one has its place in the capture, and no reference.
  public mutating func deallocate(_ object: Int) {
    reuse(object)
    capture.objects[object].isPinned = true
  }

  /// The object is gone, and another one has its address.
  public mutating func reuse(_ object: Int) {
    capture.process.next += 1
    capture.objects[object].sequence = capture.process.next
  }
}
