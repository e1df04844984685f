import LiveObjectsAnalysis
import LiveObjectsReport

/// A timeline as text: one row for each type that grows.
package enum TimelineText {
  private static let typeWidth = 44
  private static let chartWidth = 20

  /// - Parameter listsAll: whether types that do not grow have rows as well.
  package static func render(_ summary: TimelineSummary, listsAll: Bool, color: Bool) -> String {
    var page = TextPage(color: color)
    page.add("LiveObjects: \(summary.headline)", style: .bold)
    if summary.timeline.omittedEntries > 0 {
      page.add(
        "  \(Count.of(summary.timeline.omittedEntries, "count", "counts")) of earlier processes left out")
    }
    let listed = listsAll || !summary.isDecided ? summary.rows : summary.growing
    if !listed.isEmpty {
      page.add()
      page.add(
        rows: [heading] + listed.map { row($0, of: summary) },
        [.left] + [.right, .right, .right, .right] + [.left, .left],
        indentation: 2)
    }
    let others = summary.rows.count - listed.count
    if others > 0 {
      page.add()
      page.add("  \(Count.of(others, "type does", "types do")) not grow (--all lists them)")
    }
    return page.text
  }

  private static let heading = [
    "Live objects", "objects", "per hour", "bytes", "per hour", "for", "over time",
  ]

  private static func row(_ row: TimelineSummary.Row, of summary: TimelineSummary) -> [String] {
    [
      row.series.type.abridged(to: typeWidth), Count.grouped(row.series.instances.last ?? 0),
      row.instances.isGrowth ? Count.signed(summary.perHour(row.instances)) : "",
      Count.bytes(UInt64(row.series.lastBytes)),
      row.bytes.isGrowth ? Count.signedBytes(summary.perHour(row.bytes)) : "",
      row.grows ? Count.duration(summary.seconds(since: row.since)) : "",
      chart(row.instances.isGrowth || !row.bytes.isGrowth ? row.series.instances : row.series.bytes),
    ]
  }

  /// One character for each part of the time, from the least number of all to the greatest.
  static func chart(_ values: [Int]) -> String {
    let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    guard let least = values.min(), let most = values.max(), most > least else {
      return String(repeating: bars[0], count: min(values.count, chartWidth))
    }
    let columns = min(values.count, chartWidth)
    return String(
      (0..<columns).map { column in
        let value = values[(column + 1) * values.count / columns - 1]
        return bars[Int(Double(value - least) / Double(most - least) * Double(bars.count - 1) + 0.5)]
      })
  }
}
