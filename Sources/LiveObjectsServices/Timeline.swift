import LiveObjectsAnalysis
import LiveObjectsCapture

/// The number of live objects of each type of one process, at moments that follow one another.
package struct Timeline: Sendable {
  /// A moment, and the types that had objects.
  package struct Entry: Sendable {
    /// In seconds since 1970.
    package var time: Double
    package var counts: [TypeCount]

    package init(time: Double, counts: [TypeCount]) {
      self.time = time
      self.counts = counts
    }
  }

  /// The process of the last entry.
  package var process: ProcessDescription
  package var entries: [Entry]
  /// Entries of earlier processes with the same output, which are left out.
  package var omittedEntries = 0

  package init(process: ProcessDescription, entries: [Entry]) {
    self.process = process
    self.entries = entries
  }

  /// - Parameter captures: in the order in which they were written. Those without counts are skipped.
  /// - Returns: `nil` if none has counts.
  package init?(_ captures: [Capture]) {
    let counted = captures.filter { $0.countedTypes != nil }
    guard let last = counted.last else { return nil }
    let start = counted.indices.dropFirst().last { counted[$0].begins(after: counted[$0 - 1]) } ?? 0
    self.init(
      process: last.process,
      entries: counted[start...].map { Entry(time: Double($0.process.time) / 1e9, counts: $0.typeCounts) })
    omittedEntries = start
  }

  /// The types, each with its numbers at all moments, most bytes in the end first.
  package var series: [TypeSeries] {
    var byType: [String: TypeSeries] = [:]
    for (index, entry) in entries.enumerated() {
      for count in entry.counts {
        byType[count.type, default: TypeSeries(count, length: entries.count)].set(count, at: index)
      }
    }
    return byType.values.sorted { ($1.lastBytes, $0.type) < ($0.lastBytes, $1.type) }
  }

  /// The usual time between two entries, in seconds.
  package var interval: Double {
    let intervals = zip(entries, entries.dropFirst()).map { $1.time - $0.time }.sorted()
    return intervals.isEmpty ? 0 : intervals[intervals.count / 2]
  }
}

extension Capture {
  /// Whether another process, with the same output, took the earlier one. In a container all have the same id, but no
  /// process allocates less in the course of time.
  fileprivate func begins(after earlier: Capture) -> Bool {
    process.id != earlier.process.id || process.executable != earlier.process.executable
      || tracking.allocations < earlier.tracking.allocations
  }
}

/// The numbers of one type at the moments of a timeline. Only moments with objects take memory: a file may have a type of
/// its own at each moment.
package struct TypeSeries: Sendable {
  private struct Moment: Sendable {
    var index: Int
    var instances: Int
    var bytes: Int
  }

  package var type: String
  package var isUserDefined: Bool
  private var moments: [Moment] = []
  private let length: Int

  /// 0 at moments without an object.
  package var instances: [Int] { numbers(\.instances) }
  package var bytes: [Int] { numbers(\.bytes) }

  package var lastBytes: Int { moments.last.map { $0.index == length - 1 ? $0.bytes : 0 } ?? 0 }

  init(_ count: TypeCount, length: Int) {
    (type, isUserDefined) = (count.type, count.isUserDefined)
    self.length = length
  }

  /// - Parameter index: not less than that of the call before.
  fileprivate mutating func set(_ count: TypeCount, at index: Int) {
    if moments.last?.index == index { moments.removeLast() }
    moments.append(Moment(index: index, instances: count.instances, bytes: count.bytes))
  }

  private func numbers(_ part: KeyPath<Moment, Int>) -> [Int] {
    var numbers = [Int](repeating: 0, count: length)
    for moment in moments { numbers[moment.index] = moment[keyPath: part] }
    return numbers
  }
}
