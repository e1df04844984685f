import CaptureFixtures
import LiveObjectsCapture
import Testing

@testable import LiveObjectsServices

@Suite struct TimelineTests {
  @Test func aSeriesHasANumberForEachMoment() throws {
    let captures = [entry(at: 0, sessions: 1), entry(at: 10, sessions: 0), entry(at: 20, sessions: 3)]
    let timeline = try #require(Timeline(captures))
    #expect(timeline.entries.map(\.time) == [0, 10, 20])
    #expect(timeline.interval == 10)
    let sessions = try #require(timeline.series.first { $0.type == "Demo.Session" })
    #expect(sessions.instances == [1, 0, 3])
    #expect(sessions.bytes == [32, 0, 96])
    #expect(sessions.isUserDefined)
  }

  @Test func captureWithoutCountsAreLeftOut() throws {
    #expect(Timeline([]) == nil)
    #expect(Timeline([CaptureBuilder().capture]) == nil)
    #expect(try #require(Timeline([CaptureBuilder().capture, entry(at: 0, sessions: 1)])).entries.count == 1)
  }

  @Test func anEarlierProcessIsLeftOut() throws {
    let restarted = [
      entry(at: 0, sessions: 5, allocations: 900), entry(at: 10, sessions: 1, allocations: 20),
      entry(at: 20, sessions: 2, allocations: 30),
    ]
    let timeline = try #require(Timeline(restarted))
    #expect(timeline.entries.map(\.time) == [10, 20])
    #expect(timeline.omittedEntries == 1)
    let other = [entry(at: 0, sessions: 5, process: 3), entry(at: 10, sessions: 1)]
    #expect(try #require(Timeline(other)).omittedEntries == 1)
  }

  private func entry(
    at seconds: UInt64, sessions: UInt64, allocations: UInt64 = 0, process: UInt32 = 12
  ) -> Capture {
    let status = TrackingStatus(state: .tracking, allocations: allocations)
    var builder = CaptureBuilder(processID: process, tracking: status)
    let types = [builder.type("Demo.Session", image: nil), builder.type("Demo.Store", image: nil)]
    let store = CountedType(type: types[1], objects: 1, bytes: 16)
    let counts = [CountedType(type: types[0], objects: sessions, bytes: 32 * sessions), store]
    builder.counts(counts.filter { $0.objects > 0 }, time: seconds * 1_000_000_000)
    return builder.capture
  }
}
