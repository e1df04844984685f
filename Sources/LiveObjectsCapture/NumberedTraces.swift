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
