import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsReport
import Testing

@testable import LiveObjectsServices

@Suite struct TimelineRendererTests {
  @Test func growingTypesComeFirstWithTheirSpeed() {
    let text = TimelineText.render(summary(of: 60), listsAll: false, color: false)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "LiveObjects: 2 types grow in demo (process 12), counted 60 times in 9 min")
    #expect(lines[2].split(separator: " ").first == "Live")
    #expect(lines[3].hasPrefix("  Demo.Session"))
    #expect(lines[3].contains(" +360 "))
    #expect(lines[3].contains(" +11.3 KB "))
    #expect(lines[3].hasSuffix("▁▂▂▂▃▃▃▄▄▄▅▅▆▆▆▇▇▇██"))
    #expect(lines[4].hasPrefix("  Swift.Array"))
    #expect(text.contains("\n  1 type does not grow (--all lists them)\n"))
    #expect(TimelineText.render(summary(of: 60), listsAll: true, color: false).contains("\n  Demo.Cache"))
  }

  @Test func fewCountsDecideNothing() {
    let text = TimelineText.render(summary(of: 5), listsAll: false, color: false)
    #expect(
      text.hasPrefix("LiveObjects: demo (process 12), counted 5 times in 40 s: too few to distinguish growth")
    )
    #expect(text.contains("Demo.Cache"))
    #expect(!summary(of: 5).hasGrowth)
  }

  @Test func allNumbersAreInTheCSV() {
    let lines = TimelineCSV.render(timeline(of: 2)).split(whereSeparator: \.isNewline)
    #expect(
      lines == [
        "time,type,instances,bytes", #"1000000,"Demo.Cache",7,700"#, #"1000000,"Demo.Session",1,32"#,
        #"1000000,"Swift.Array",1,1000"#, #"1010000,"Demo.Cache",7,700"#, #"1010000,"Demo.Session",2,64"#,
        #"1010000,"Swift.Array",1,2000"#,
      ])
  }

  @Test func namesAreInert() {
    var hostile = timeline(of: 30)
    for index in hostile.entries.indices {
      hostile.entries[index].counts[1].type = "=cmd\"<script>alert(1)</script>\u{1b}[31m\n"
    }
    let page = TimelinePage.render(TimelineSummary(hostile))
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;"))
    let csv = TimelineCSV.render(hostile)
    #expect(csv.contains("\"'=cmd\"\"<script>"))
    #expect(!csv.contains("\u{1b}"))
    #expect(csv.split(whereSeparator: \.isNewline).count == 1 + 30 * 3)
    #expect(!TimelineText.render(TimelineSummary(hostile), listsAll: true, color: false).contains("\u{1b}"))
  }

  @Test func thePageHasAChartForEachType() {
    let page = TimelinePage.render(summary(of: 60))
    #expect(page.components(separatedBy: "<polyline ").count == 4)
    #expect(page.contains("<h2>Types that grow</h2>"))
    #expect(page.contains("+360 objects and +11.3 KB in an hour, for 9 min"))
  }

  @Test(
    arguments: [
      (0, "0 s"), (90, "90 s"), (600, "10 min"), (7200, "2 h"), (9000, "2 h 30 min"), (200_000, "2 d 7 h"),
    ] as [(Double, String)])
  func durationsHaveTwoUnits(seconds: Double, text: String) {
    #expect(Count.duration(seconds) == text)
  }

  @Test func topShowsTheGrowthOfTheLastMinute() {
    var table = TopTable()
    for entry in timeline(of: 20).entries { table.add(entry) }
    let lines = table.text(title: "demo", lines: 10, width: 100, color: false).split(separator: "\n")
    #expect(lines.first == "demo: 28 live objects, 20.8 KB")
    #expect(lines[2].split(separator: " ") == ["1", "0", "19.5", "KB", "+5.9", "KB", "Swift.Array"])
    #expect(lines[3].split(separator: " ") == ["20", "+6", "640", "bytes", "+192", "bytes", "Demo.Session"])
    #expect(table.text(title: "demo", lines: 3, width: 100, color: false).split(separator: "\n").count == 3)
  }

  private func summary(of count: Int) -> TimelineSummary { TimelineSummary(timeline(of: count)) }

  /// One session more every ten seconds, an array that grows, and a full cache.
  private func timeline(of count: Int) -> Timeline {
    let entries = (0..<count).map { Timeline.Entry(time: 1000 + 10 * Double($0), counts: counts(after: $0)) }
    return Timeline(process: ProcessDescription(id: 12, executable: "/app/demo"), entries: entries)
  }
  private func counts(after intervals: Int) -> [TypeCount] {
    [
      TypeCount(type: "Demo.Cache", isUserDefined: true, instances: 7, bytes: 700),
      TypeCount(
        type: "Demo.Session", isUserDefined: true, instances: intervals + 1, bytes: 32 * (intervals + 1)),
      TypeCount(type: "Swift.Array", isUserDefined: false, instances: 1, bytes: 1000 * (intervals + 1)),
    ]
  }
}
