import LiveObjectsCapture

extension ReferenceGraph {
  /// A block of C code that an object of the heap keeps, and the object it captured.
  struct KeptBlock: Hashable {
    var target: UInt32
    var code: Frame
  }

  /// Conservative references with a function: those of blocks, whose captures are guessed and whose code is
  /// known.
  var keptBlocks: Set<KeptBlock> {
    guard heap.roots.contains(where: { if case .dispatchBlock = $0.place { true } else { false } }) else {
      return []
    }
    var blocks: Set<KeptBlock> = []
    for (index, reference) in heap.references.enumerated() where !isStrong(index) && mayHold(index) {
      guard let function = reference.function else { continue }
      blocks.insert(KeptBlock(target: reference.target, code: heap.functions[Int(function)]))
    }
    return blocks
  }
}
