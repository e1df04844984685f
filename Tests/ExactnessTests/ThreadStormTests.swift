import Testing

extension Exactness {
  @Suite struct ThreadStormTests {
    @Test(
      "16 threads with a million allocations each leave exactly their survivors",
      arguments: Watching.all)
    func storm(watching: Watching) throws {
      let storm = ["16", "8", "1000000", "997"]
      let run = try WatchedRun("ThreadStorm", storm, watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "ThreadStorm.Survivor") == 16 * 997)
      #expect(capture.liveCount(of: "ThreadStorm.Parcel") == 0)
      #expect(capture.tracking.allocations >= 16 * 1_000_997)
    }

    @Test("2,000 threads that come and go leave exactly their survivors", arguments: Watching.all)
    func shortLivedThreads(watching: Watching) throws {
      let run = try WatchedRun("ThreadStorm", ["16", "125", "100000", "1000"], watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "ThreadStorm.Survivor") == 16 * 1_000)
      #expect(capture.liveCount(of: "ThreadStorm.Parcel") == 0)
    }

    @Test("counting retains changes no count")
    func retainCounts() throws {
      let watching = Watching(hookMode: .pointers, hasStacks: false, countsRetains: true)
      let run = try WatchedRun("ThreadStorm", ["16", "4", "50000", "500"], watching: watching)
      let capture = try run.capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "ThreadStorm.Survivor") == 16 * 500)
      #expect(capture.liveCount(of: "ThreadStorm.Parcel") == 0)
    }
  }
}
