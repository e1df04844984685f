import LiveObjectsAnalysis
import LiveObjectsReport

/// A timeline as one page for a browser, without any script: a chart for each type that grows, then for others with
/// much memory.
package enum TimelinePage {
  private static let (width, height) = (960, 160)
  private static let mostOthers = 30
  /// Points of a line; a chart is not wider.
  private static let mostPoints = 480

  package static func render(_ summary: TimelineSummary) -> String {
    let growing = summary.growing.map { chart($0, of: summary) as HTML }
    let others = summary.rows.filter { !$0.grows }
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      \(HTMLRenderer.head(summary.headline, script: nil))
      <body>
      <header class="\(markup: verdict(of: summary))"><h1>\(summary.headline)</h1>
      <p class="origin">\(Count.of(summary.timeline.entries.count, "count", "counts")), \
      one every \(Count.duration(summary.timeline.interval))</p></header>
      <main id="main">
      \(section("Types that grow", growing))
      \(section("Types that do not grow", others.prefix(mostOthers).map { chart($0, of: summary) }))
      \(rest(others.dropFirst(mostOthers).count))
      </main>
      </body>
      </html>

      """
    return page.text
  }

  private static func verdict(of summary: TimelineSummary) -> String {
    summary.isDecided ? (summary.growing.isEmpty ? "passes" : "fails") : "unknown"
  }

  private static func section(_ title: String, _ charts: [HTML]) -> HTML {
    charts.isEmpty ? "" : "<section><h2>\(title)</h2>\n\(charts.joined())</section>"
  }

  private static func rest(_ count: Int) -> HTML {
    count == 0 ? "" : "<p class=\"more\">… and \(Count.of(count, "type", "types")) with less memory</p>"
  }

  private static func chart(_ row: TimelineSummary.Row, of summary: TimelineSummary) -> HTML {
    let drawsBytes = row.bytes.isGrowth && !row.instances.isGrowth
    let values = drawsBytes ? row.series.bytes : row.series.instances
    let most = values.max() ?? 0
    let label = drawsBytes ? Count.bytes(UInt64(most)) : Count.of(most, "object", "objects")
    return """
      <article class="card"><h3><span class="name">\(row.series.type)</span></h3>
      <p class="size">\(sentence(of: row, summary))</p>
      <div class="chart"><svg viewBox="0 0 \(width) \(height)" role="img" aria-label="\(label) at most">
      <line x1="0" y1="\(height - 1)" x2="\(width)" y2="\(height - 1)"/><line x1="0" y1="20" x2="\(width)" y2="20"/>
      <polyline points="\(markup: points(values, most: most))"/>
      <text x="4" y="14">\(label)</text></svg>
      <p class="remark">\(Count.duration(summary.seconds(since: 0))) ago to the last count</p></div></article>

      """
  }

  private static func sentence(of row: TimelineSummary.Row, _ summary: TimelineSummary) -> String {
    let now =
      "\(Count.of(row.series.instances.last ?? 0, "object", "objects")), \(Count.bytes(UInt64(row.series.lastBytes)))"
    guard row.grows else { return now }
    let speeds = [
      row.instances.isGrowth ? "\(Count.signed(summary.perHour(row.instances))) objects" : nil,
      row.bytes.isGrowth ? Count.signedBytes(summary.perHour(row.bytes)) : nil,
    ].compactMap { $0 }.joined(separator: " and ")
    return "\(now); \(speeds) in an hour, for \(Count.duration(summary.seconds(since: row.since)))"
  }

  private static func points(_ values: [Int], most: Int) -> String {
    let count = min(values.count, mostPoints)
    return (0..<count).map { point in
      let value = Double(values[point * (values.count - 1) / max(count - 1, 1)])
      let x = point * width / max(count - 1, 1)
      let y = Double(height - 1) - value / Double(max(most, 1)) * Double(height - 21)
      return "\(x),\(Int(y))"
    }.joined(separator: " ")
  }
}
