/// The heap graph, every index checked.
extension CaptureDecoder {
  /// - Returns: false for a section that belongs to no graph; nothing was read then.
  mutating func decodeHeapGraph(_ tag: String, _ reader: inout ByteReader) throws(CaptureError) -> Bool {
    switch tag {
    case "GRPH":
      try decodeStatus(of: &reader)
      return true
    case "SUPR": while !reader.isAtEnd { try decodeSuperclasses(&reader) }
    case "LABL": while !reader.isAtEnd { try decodeLabel(&reader) }
    case "DECL": while !reader.isAtEnd { try decodeDeclaration(&reader) }
    case "FUNC": graph.functions += try frames(reader.remaining / 8, &reader)
    case "REFS": graph.references += try references(&reader, after: graph.references.last?.source ?? 0)
    case "WORD": words += try references(&reader, after: nil)
    case "ELEM": while !reader.isAtEnd { try decodeElementCount(&reader) }
    case "BLCK": while !reader.isAtEnd { try decodeBlockOwner(&reader) }
    case "LOST": while !reader.isAtEnd { try decodeLostBuffer(&reader) }
    case "ROOT": while !reader.isAtEnd { try decodeRoot(&reader) }
    case "TASK": while !reader.isAtEnd { try decodeTask(&reader) }
    case "LEDG": while !reader.isAtEnd { try decodeRetainSite(&reader) }
    default: return false
    }
    guard hasGraph, graph.status.wasRead else {
      throw .damage(at: reader.offset, "it describes a heap that was not read")
    }
    return true
  }

  private mutating func decodeStatus(of reader: inout ByteReader) throws(CaptureError) {
    guard !hasGraph else { throw .damage(at: reader.offset, "it holds two heap graphs") }
    let state = try reader.u32()
    guard state == 1 || state == 2 else {
      throw .damage(at: reader.offset, "the state of the heap graph is unknown")
    }
    let (threads, unread, scanned) = (try reader.u32(), try reader.u32(), try reader.u32())
    let flags = try reader.u32()
    graph.status = HeapGraph.Status(
      wasRead: state == 1, threads: threads, unreadObjects: unread, scannedObjects: scanned,
      missesStacks: flags & 1 != 0, missesRoots: flags & 2 != 0,
      hasRegisters: flags & 4 != 0, isPartial: flags & 8 != 0,
      notes: try reader.strings())
    hasGraph = true
  }

  /// The number that the recorder writes. They are compared with every closure's function.
  private static var mostSuperclasses: Int { 64 }

  private mutating func decodeSuperclasses(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let type = Int(try reader.u32()) - 1
    guard capture.types.indices.contains(type), graph.superclasses[type] == nil else {
      throw .damage(at: start, "superclasses of a type that is not there, or twice those of one")
    }
    graph.superclasses[type] = Array(try reader.strings().prefix(Self.mostSuperclasses))
  }

  private mutating func decodeLabel(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    guard Int(try reader.u32()) == graph.labels.count + 1 else {
      throw .damage(at: start, "a label is out of order")
    }
    guard let kind = ReferenceLabel.Kind(rawValue: try reader.u32()),
      let ownership = ReferenceLabel.Ownership(rawValue: try reader.u32())
    else { throw .damage(at: start, "a label is of an unknown kind") }
    graph.labels.append(ReferenceLabel(kind, ownership: ownership, text: try reader.string()))
  }

  private mutating func decodeDeclaration(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (label, flags) = (Int(try reader.u32()), try reader.u32())
    let (type, openProtocol) = (try reader.string(), try reader.string())
    guard label > 0, label <= graph.labels.count else {
      throw .damage(at: start, "a declaration is of no label")
    }
    graph.labels[label - 1].declaration = ReferenceLabel.Declaration(
      type: type, openProtocol: openProtocol.isEmpty ? nil : openProtocol, isConstant: flags & 1 != 0)
  }

  private func frames(_ count: Int, _ reader: inout ByteReader) throws(CaptureError) -> [Frame] {
    let start = reader.offset
    let words = try reader.raw(count * MemoryLayout<UInt64>.size)
    guard PackedFrame.all(in: words).allSatisfy({ $0.isValid(among: capture.images.count) }) else {
      throw .damage(at: start, "a function lies in an image that is not there")
    }
    return PackedFrame.all(in: words).map(\.frame)
  }
}

// MARK: - Objects

extension CaptureDecoder {
  /// - Parameter previous: the source of the reference before, of references that are in the order of their sources.
  private func references(_ reader: inout ByteReader, after previous: UInt32?) throws(CaptureError)
    -> some Collection<Reference>
  {
    let start = reader.offset
    let section = try reader.records(of: Reference.recordSize)
    let references = (0..<section.count / Reference.recordSize).lazy.map {
      Reference(section, at: $0 * Reference.recordSize)
    }
    var last = previous
    for reference in references {
      guard reference.source >= last ?? 0, isValid(reference) else {
        throw .damage(at: start, "a reference is out of order or leads nowhere")
      }
      last = last.map { _ in reference.source }
    }
    guard graph.references.count + words.count + references.count < Self.mostReferences else {
      throw .damage(at: start, "it has more references than can be analysed")
    }
    return references
  }

  private mutating func decodeElementCount(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let count = ElementCount(object: try reader.u32(), count: try reader.u32())
    guard isObject(count.object), graph.elementCounts.last.map({ $0.object < count.object }) ?? true else {
      throw .damage(at: start, "a number of elements is out of order or of an object that is not there")
    }
    graph.elementCounts.append(count)
  }

  /// Blocks are numbered in the order of their first owners.
  private mutating func decodeBlockOwner(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let owner = BlockOwner(object: try reader.u32(), block: try reader.u32())
    let bytes = try reader.u64()
    guard isObject(owner.object), owner.block <= graph.blocks.count,
      graph.blockOwners.last.map({ $0.object <= owner.object }) ?? true
    else {
      throw .damage(at: start, "a block is out of order or of an object that is not there")
    }
    if owner.block == graph.blocks.count { graph.blocks.append(bytes) }
    graph.blockOwners.append(owner)
  }

  private mutating func decodeLostBuffer(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let object = try reader.u32()
    guard isObject(object) else { throw .damage(at: start, "a lost buffer is not there") }
    graph.lostBuffers.append(object)
  }

  /// The analysis numbers them with 31 bits.
  private static var mostReferences: Int { Int(Int32.max) }

  private func isValid(_ reference: Reference) -> Bool {
    isObject(reference.source) && isObject(reference.target)
      && Int(reference.label) < graph.labels.count
      && (reference.function.map { Int($0) < graph.functions.count } ?? true)
  }

  private func isObject(_ index: UInt32) -> Bool { Int(index) < capture.objects.count }

  private mutating func decodeRoot(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let (kind, target) = (try reader.u32(), try reader.u32())
    let (word, detail) = (try reader.u64(), try reader.u64())
    guard isObject(target), let place = place(kind, word, label: detail) else {
      throw .damage(at: start, "a root leads nowhere or is of an unknown kind")
    }
    graph.roots.append(
      Root(
        place, target: target, isInUse: kind == 4 && detail & 1 != 0,
        isDisguised: kind < 5 && detail & 2 != 0))
  }

  /// `nil` for an unknown kind, or a place in an image that is not there.
  private func place(_ kind: UInt32, _ word: UInt64, label: UInt64) -> Root.Place? {
    let frame = PackedFrame(bits: word)
    switch kind {
    case 1 where frame.isValid(among: capture.images.count): return .global(frame.frame)
    case 2: return .stack(thread: word)
    case 3: return .threadLocal(thread: word)
    case 4: return .cMemory(address: word)
    case 5 where frame.isValid(among: capture.images.count) && label <= UInt64(graph.labels.count):
      return .handler(word == 0 ? nil : frame.frame, of: label == 0 ? nil : UInt32(label) - 1)
    default: return nil
    }
  }

  private mutating func decodeTask(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let object = try reader.u32()
    guard isObject(object), let state = TaskDescription.State(rawValue: try reader.u32()),
      let wait = TaskDescription.Wait(rawValue: try reader.u32())
    else { throw .damage(at: start, "a task is not there or in an unknown state") }
    let (flags, count) = (try reader.u32(), Int(try reader.u32()))
    graph.tasks.append(
      TaskDescription(
        object: object, state: state, wait: wait, hasActiveChild: flags & 2 != 0,
        isInExecutor: flags & 4 != 0, frames: try frames(count, &reader)))
  }

  private mutating func decodeRetainSite(_ reader: inout ByteReader) throws(CaptureError) {
    let start = reader.offset
    let site = RetainSite(
      object: try reader.u32(), stackTrace: try reader.u32(), retains: try reader.u32(),
      releases: try reader.u32())
    guard isObject(site.object) else { throw .damage(at: start, "retains of an object that is not there") }
    graph.retainSites.append(site)
  }
}
