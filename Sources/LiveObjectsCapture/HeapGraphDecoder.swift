/// Puts the heap graph of a capture together from its sections, every index checked.
struct HeapGraphDecoder {
  /// The numbers of the elements that records of the graph may refer to.
  struct Extent {
    var objects: Int
    var types: Int
    var images: Int
  }

  /// `nil` until a section says how well the heap was read.
  var graph: HeapGraph? { isDescribed ? contents : nil }

  private var contents = HeapGraph()
  private var isDescribed = false

  mutating func reserveCapacity(references count: Int) {
    contents.references.reserveCapacity(count)
  }

  /// - Returns: false for a section that belongs to no graph; nothing was read then.
  mutating func decode(
    _ tag: Section.Tag, _ reader: inout ByteReader, within extent: Extent
  ) throws(CaptureError) -> Bool {
    switch tag {
    case .heapGraph:
      try decodeStatus(&reader)
      return true
    case .superclasses: while !reader.isAtEnd { try decodeSuperclasses(&reader, extent) }
    case .labels: while !reader.isAtEnd { try decodeLabel(&reader) }
    case .functions: try decodeFunctions(&reader, extent)
    case .references: try decodeReferences(&reader, extent)
    case .roots: try decodeRoots(&reader, extent)
    case .tasks: while !reader.isAtEnd { try decodeTask(&reader, extent) }
    case .retainSites: try decodeRetainSites(&reader, extent)
    default: return false
    }
    guard isDescribed, contents.status.wasRead else {
      throw .damage(at: reader.offset, "it describes a heap that was not read")
    }
    return true
  }
}

// MARK: - Descriptions

extension HeapGraphDecoder {
  private enum State: UInt32 {
    case read = 1
    case notRead
  }

  private mutating func decodeStatus(_ reader: inout ByteReader) throws(CaptureError) {
    guard !isDescribed else { throw .damage(at: reader.offset, "it holds two heap graphs") }
    guard let state = State(rawValue: try reader.u32()) else {
      throw .damage(at: reader.offset, "the state of the heap graph is unknown")
    }
    let (threads, unread, scanned) = (try reader.u32(), try reader.u32(), try reader.u32())
    let flags = try reader.u32()
    contents.status = HeapGraph.Status(
      wasRead: state == .read, threads: threads, unreadObjects: unread, scannedObjects: scanned,
      missesStacks: flags & 1 != 0, missesRoots: flags & 2 != 0,
      othersAreIdle: flags & 4 != 0, isPartial: flags & 8 != 0, notes: try reader.strings())
    isDescribed = true
  }

  /// The number that the recorder writes. They are compared with every closure's function.
  private static let mostSuperclasses = 64

  private mutating func decodeSuperclasses(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let start = reader.offset
    let type = Int(try reader.u32()) - 1
    guard (0..<extent.types).contains(type), contents.superclasses[type] == nil else {
      throw .damage(at: start, "superclasses of a type that is not there, or twice those of one")
    }
    contents.superclasses[type] = Array(try reader.strings().prefix(Self.mostSuperclasses))
  }

  private mutating func decodeLabel(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    guard Int(try reader.u32()) == contents.labels.count + 1 else {
      throw .damage(at: start, "a label is out of order")
    }
    guard let kind = ReferenceLabel.Kind(rawValue: try reader.u32()),
      let ownership = ReferenceLabel.Ownership(rawValue: try reader.u32())
    else { throw .damage(at: start, "a label is of an unknown kind") }
    contents.labels.append(ReferenceLabel(kind, ownership: ownership, text: try reader.string()))
  }

  private mutating func decodeFunctions(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let words = try reader.records(of: MemoryLayout<UInt64>.size)
    contents.functions += try frames(words, at: reader.offset, extent)
  }

  private func frames(
    _ words: UnsafeRawBufferPointer, at offset: Int, _ extent: Extent
  ) throws(CaptureError) -> [Frame] {
    guard PackedFrame.all(in: words).allSatisfy({ $0.isValid(among: extent.images) }) else {
      throw .damage(at: offset, "a function lies in an image that is not there")
    }
    return PackedFrame.all(in: words).map(\.frame)
  }
}

// MARK: - Objects

extension HeapGraphDecoder {
  private mutating func decodeReferences(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let start = reader.offset
    let section = try reader.records(of: Reference.recordSize)
    let references = (0..<section.count / Reference.recordSize).lazy.map {
      Reference(section, at: $0 * Reference.recordSize)
    }
    var last = contents.references.last?.source ?? 0
    for reference in references {
      guard reference.source >= last, isValid(reference, extent) else {
        throw .damage(at: start, "a reference is out of order or leads nowhere")
      }
      last = reference.source
    }
    contents.references += references
    guard contents.references.count < Self.mostReferences else {
      throw .damage(at: start, "it has more references than can be analysed")
    }
  }

  /// The analysis numbers them with 31 bits.
  private static let mostReferences = Int(Int32.max)

  private func isValid(_ reference: Reference, _ extent: Extent) -> Bool {
    Int(reference.source) < extent.objects && Int(reference.target) < extent.objects
      && Int(reference.label) < contents.labels.count
      && (reference.function.map { Int($0) < contents.functions.count } ?? true)
  }

  private mutating func decodeRoots(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let start = reader.offset
    let section = try reader.records(of: RootRecord.size)
    for offset in stride(from: 0, to: section.count, by: RootRecord.size) {
      let record = RootRecord(section, at: offset)
      guard Int(record.target) < extent.objects, let root = record.root(images: extent.images) else {
        throw .damage(at: start + offset, "a root leads nowhere or is of an unknown kind")
      }
      contents.roots.append(root)
    }
  }

  private mutating func decodeTask(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let start = reader.offset
    let object = try reader.u32()
    guard Int(object) < extent.objects,
      let state = TaskDescription.State(rawValue: try reader.u32()),
      let wait = TaskDescription.Wait(rawValue: try reader.u32())
    else { throw .damage(at: start, "a task is not there or in an unknown state") }
    let flags = try reader.u32()
    let words = try reader.raw(Int(try reader.u32()) * MemoryLayout<UInt64>.size)
    contents.tasks.append(
      TaskDescription(
        object: object, state: state, wait: wait, isLost: flags & 1 != 0,
        frames: try frames(words, at: start, extent)))
  }

  private mutating func decodeRetainSites(
    _ reader: inout ByteReader, _ extent: Extent
  ) throws(CaptureError) {
    let start = reader.offset
    let section = try reader.records(of: RetainSite.recordSize)
    for offset in stride(from: 0, to: section.count, by: RetainSite.recordSize) {
      let site = RetainSite(section, at: offset)
      guard Int(site.object) < extent.objects else {
        throw .damage(at: start + offset, "retains of an object that is not there")
      }
      contents.retainSites.append(site)
    }
  }
}
