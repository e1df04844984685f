/// The record of a root in a capture.
struct RootRecord {
  static let size = 24

  private enum Kind: UInt32 {
    case global = 1
    case stack, threadLocal, cMemory, dispatchBlock
  }

  /// An index into `Capture.objects`.
  let target: UInt32
  private let kind: UInt32
  private let place: UInt64

  /// - Precondition: `size` bytes from `offset` on lie in `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    kind = bytes.littleEndian(UInt32.self, at: offset)
    target = bytes.littleEndian(UInt32.self, at: offset + 4)
    place = bytes.littleEndian(UInt64.self, at: offset + 8)
  }

  /// `nil` for an unknown kind, or a place in an image that is not there.
  func root(images: Int) -> Root? {
    let frame = PackedFrame(bits: place)
    switch Kind(rawValue: kind) {
    case .global where frame.isValid(among: images): return Root(.global(frame.frame), target: target)
    case .stack: return Root(.stack(thread: place), target: target)
    case .threadLocal: return Root(.threadLocal(thread: place), target: target)
    case .cMemory: return Root(.cMemory(address: place), target: target)
    case .dispatchBlock where frame.isValid(among: images):
      return Root(.dispatchBlock(frame.frame), target: target)
    case .global, .dispatchBlock, nil: return nil
    }
  }
}
