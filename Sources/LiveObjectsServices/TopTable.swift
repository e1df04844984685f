import LiveObjectsAnalysis
import LiveObjectsReport

/// The table of `liveobjects top`: live objects by type, and their growth per minute.
package struct TopTable {
  private static let window = 60.0
  private static let header = ["objects", "per min", "bytes", "per min"]
  /// Between two columns.
  private static let gap = 2

  private var moments: [Timeline.Entry] = []

  package init() {}

  /// Whether it has no numbers yet.
  package var isEmpty: Bool { moments.isEmpty }

  /// Adds the present numbers. Growth is that since a minute ago, or since the first numbers if those are younger.
  package mutating func add(_ moment: Timeline.Entry) {
    moments.append(moment)
    while moments.count > 2, moment.time - moments[1].time >= Self.window { moments.removeFirst() }
  }

  /// - Parameters:
  ///   - title: the process.
  ///   - lines: the lines of the table in all.
  ///   - width: the characters of a line.
  package func text(title: String, lines: Int, width: Int, color: Bool) -> String {
    guard let now = moments.last, let before = moments.first else { return "" }
    var page = TextPage(color: color)
    let (instances, bytes) = now.counts.reduce((0, 0)) { ($0.0 &+ $1.instances, $0.1 &+ $1.bytes) }
    let all = Count.of(instances, "live object", "live objects")
    page.add("\(title): \(all), \(Count.bytes(UInt64(max(0, bytes))))".abridged(to: width), style: .bold)
    let minutes = (now.time - before.time) / 60
    let rows = growth(from: before, to: now).prefix(max(0, lines - 2))
    let numbers = [Self.header] + rows.map { self.numbers(of: $0, minutes: minutes) }
    let types = ["type"] + rows.map(\.count.type.printable)
    let rest = width - Self.width(of: numbers)
    page.add(
      rows: zip(numbers, types).map { $0 + [$1.abridged(to: max(8, rest))] },
      [.right, .right, .right, .right, .left], indentation: 0)
    return page.text
  }

  private func numbers(of row: Row, minutes: Double) -> [String] {
    [
      Count.grouped(row.count.instances), minutes > 0 ? Count.signed(Double(row.instances) / minutes) : "",
      Count.bytes(UInt64(row.count.bytes)), minutes > 0 ? Count.signedBytes(Double(row.bytes) / minutes) : "",
    ]
  }

  /// The characters before the last column.
  private static func width(of rows: [[String]]) -> Int {
    header.indices.reduce(0) { width, column in width + gap + (rows.map { $0[column].count }.max() ?? 0) }
  }

  private struct Row {
    var count: TypeCount
    var instances: Int
    var bytes: Int
  }

  /// What grew most first, then what has most memory.
  private func growth(from before: Timeline.Entry, to now: Timeline.Entry) -> [Row] {
    let earlier = Dictionary(before.counts.map { ($0.type, $0) }) { first, _ in first }
    let gone = Set(earlier.keys).subtracting(now.counts.map(\.type)).sorted().compactMap { earlier[$0] }
    let rows = now.counts.map { count in
      Row(
        count: count, instances: count.instances - (earlier[count.type]?.instances ?? 0),
        bytes: count.bytes - (earlier[count.type]?.bytes ?? 0))
    }
    return (rows + gone.map(Self.gone)).sorted {
      ($1.bytes, $1.count.bytes, $0.count.type) < ($0.bytes, $0.count.bytes, $1.count.type)
    }
  }

  private static func gone(_ count: TypeCount) -> Row {
    var none = count
    (none.instances, none.bytes) = (0, 0)
    return Row(count: none, instances: -count.instances, bytes: -count.bytes)
  }
}
