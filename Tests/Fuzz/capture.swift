import LiveObjectsCapture

/// Bytes of a capture file: decoded, analysed, reported.
@_cdecl("test_input")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  reach.add("inputs")
  if let captures = try? ReadableCaptures(in: bytes).all() { report(on: captures) }
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

/// Changes the payload of a section, or the list of sections, and corrects their lengths and number:
/// bytes changed at random hardly ever come past those.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32
) -> Int {
  var random = seed
  func next(_ end: Int) -> Int {
    random = random &* 1_664_525 &+ 1_013_904_223
    return Int(random >> 8) % end
  }
  var sections = Sections(Array(UnsafeBufferPointer(start: bytes, count: count)))
  guard next(16) > 0, !sections.all.isEmpty else { return mutateBytes(bytes, count, capacity) }
  let index = next(sections.all.count)
  switch next(16) {
  case 0: sections.all.append(sections.all[index])
  case 1: sections.all.remove(at: index)
  case 2: sections.all.swapAt(index, next(sections.all.count))
  default: sections.all[index].payload.mutate(capacity: capacity - count)
  }
  if next(4) > 0 { sections.cutDamage() }
  let changed = sections.bytes
  guard changed.count <= capacity else { return mutateBytes(bytes, count, capacity) }
  bytes.update(from: changed, count: changed.count)
  return changed.count
}

/// The sections of one capture, `END!` apart.
private struct Sections {
  var all: [(tag: ArraySlice<UInt8>, payload: [UInt8])] = []

  /// Accepts any data, however damaged.
  init(_ bytes: [UInt8]) {
    var next = 16
    while next + 16 <= bytes.count {
      let tag = bytes[next..<next + 4]
      let length = bytes[(next + 8)..<(next + 12)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = min(bytes.count, next + 16 + length)
      if !tag.elementsEqual("END!".utf8) { all.append((tag, Array(bytes[(next + 16)..<end]))) }
      next = end + (-length & 7)
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = Array("LiveObj\0".utf8) + [1, 0, 0, 0, 16, 0, 0, 0] as [UInt8]
    for (tag, payload) in all { Self.append(tag, payload, to: &bytes) }
    Self.append(Array("END!".utf8)[...], Self.word(all.count), to: &bytes)
    return bytes
  }

  private static func append(_ tag: ArraySlice<UInt8>, _ payload: [UInt8], to bytes: inout [UInt8]) {
    for part in [Array(tag), [0, 0, 0, 0], word(payload.count), payload] { bytes += part }
    bytes += [UInt8](repeating: 0, count: -payload.count & 7)
  }

  private static func word(_ value: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Cuts sections where the decoder finds fault with them, a few times: the records before are sound.
  mutating func cutDamage() {
    for _ in 0..<4 {
      guard let offset = damage else { return }
      var end = 16
      for index in all.indices {
        let start = end + 16
        end = start + all[index].payload.count
        // From a record's own fault, or from the middle of one that was cut off.
        if (start..<end).contains(offset) { all[index].payload.removeSubrange((offset - start)...) }
        end += -all[index].payload.count & 7
      }
    }
  }

  private var damage: Int? {
    do {
      _ = try Capture(decoding: bytes)
      return nil
    } catch {
      return error.offset
    }
  }
}

extension [UInt8] {
  fileprivate mutating func mutate(capacity more: Int) {
    let old = count
    self += [UInt8](repeating: 0, count: Swift.max(0, Swift.min(more, 256)) + (old == 0 ? 8 : 0))
    let new = withUnsafeMutableBufferPointer { mutateBytes($0.baseAddress!, old, $0.count) }
    removeSubrange(new...)
  }
}
