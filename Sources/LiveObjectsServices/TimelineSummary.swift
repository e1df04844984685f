import LiveObjectsAnalysis
import LiveObjectsReport

/// What a timeline says: the types that grow, and those that stay on a level.
package struct TimelineSummary: Sendable {
  /// A type with the trends of its numbers.
  struct Row: Sendable {
    var series: TypeSeries
    var instances: Trend
    var bytes: Trend

    var grows: Bool { instances.isGrowth || bytes.isGrowth }
    /// The earliest moment from which on one of the two grew as fast, as an index.
    var since: Int { min(instances.since ?? .max, bytes.since ?? .max) }

    static func growsMore(_ a: Row, than b: Row) -> Bool {
      guard a.series.isUserDefined == b.series.isUserDefined else { return a.series.isUserDefined }
      return (a.bytes.speed, a.instances.speed) > (b.bytes.speed, b.instances.speed)
    }
  }

  let timeline: Timeline
  /// Those that grow, the program's own before those of the toolchain, the fastest first; then the others, most bytes
  /// first.
  let rows: [Row]

  package init(_ timeline: Timeline) {
    self.timeline = timeline
    let rows = timeline.series.map {
      Row(series: $0, instances: Trend($0.instances), bytes: Trend($0.bytes))
    }
    self.rows = rows.filter(\.grows).sorted(by: Row.growsMore) + rows.filter { !$0.grows }
  }

  package var hasGrowth: Bool { !growing.isEmpty }

  var growing: [Row] { rows.filter(\.grows) }
  var isDecided: Bool { timeline.entries.count >= Trend.leastCount }

  /// Per hour, what grows by this per interval.
  func perHour(_ trend: Trend) -> Double {
    timeline.interval > 0 ? trend.speed * 3600 / timeline.interval : 0
  }

  /// The time from a moment to the last one, in seconds.
  func seconds(since index: Int) -> Double {
    guard let last = timeline.entries.last, timeline.entries.indices.contains(index) else { return 0 }
    return last.time - timeline.entries[index].time
  }

  /// The first line of every form.
  var headline: String {
    let entries = timeline.entries.count
    let name = "\(timeline.process.name) (process \(timeline.process.id))"
    let counts =
      "counted \(Count.of(entries, "time", "times")) in \(Count.duration(seconds(since: 0)))"
    guard isDecided else {
      return "\(name), \(counts): too few to distinguish growth from load; \(Trend.leastCount) are needed"
    }
    return switch growing.count {
    case 0: "no type grows in \(name), \(counts)"
    case 1: "1 type grows in \(name), \(counts)"
    case let count: "\(count) types grow in \(name), \(counts)"
    }
  }
}

extension Trend {
  var isGrowth: Bool { since != nil }

  var since: Int? {
    if case .growth(_, let since) = self { since } else { nil }
  }

  /// The growth of an interval; 0 without growth.
  var speed: Double {
    if case .growth(let speed, _) = self { speed } else { 0 }
  }
}

extension Count {
  /// `45 s`, `12 min`, `3 h 20 min`, `5 d 2 h`
  static func duration(_ seconds: Double) -> String {
    let seconds = Int(max(0, min(seconds, 1e12)).rounded())
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400)
    if minutes < 3 { return "\(seconds) s" }
    if hours < 1 { return "\(minutes) min" }
    if days < 1 { return minutes % 60 == 0 ? "\(hours) h" : "\(hours) h \(minutes % 60) min" }
    return hours % 24 == 0 ? "\(days) d" : "\(days) d \(hours % 24) h"
  }

  /// `+1,200`; `-3`; `0`
  static func signed(_ number: Double) -> String {
    let rounded = Int(max(-1e15, min(number, 1e15)).rounded())
    return rounded == 0 ? "0" : (rounded > 0 ? "+" : "-") + grouped(abs(rounded))
  }

  /// `+1.2 MB`
  static func signedBytes(_ number: Double) -> String {
    let rounded = Int(max(-1e18, min(number, 1e18)).rounded())
    return rounded == 0 ? "0" : (rounded > 0 ? "+" : "-") + bytes(UInt64(abs(rounded)))
  }
}
