import TestSupport
import Testing

extension Exactness {
  @Suite struct ExitTests {
    @Test(
      "an orderly end keeps output and status",
      arguments: [
        (["return"], 17), (["exit", "7"], 17), (["_exit", "5"], 17), (["exit-from-thread", "9"], 17),
        (["end-main-thread"], 34),
      ])
    func orderlyEnd(way: [String], leftovers: Int) throws {
      let unwatched = try runUnwatched("Exiter", way)
      let watched = try WatchedRun("Exiter", way)
      #expect(watched.program.status == unwatched.status)
      #expect(watched.program.standardOutput == unwatched.standardOutput)
      #expect(try watched.capture.liveCount(of: "Exiter.Leftover") == leftovers)
    }

    @Test("an end while other threads allocate is like any other", arguments: Watching.all)
    func endAmongThreads(watching: Watching) throws {
      for _ in 0..<10 {
        let run = try WatchedRun("Exiter", ["exit-among-threads", "3"], watching: watching)
        #expect(run.program.status == .exited(3))
        #expect(try run.capture.liveCount(of: "Exiter.Leftover") == 17)
      }
    }

    @Test("a crash keeps its status", arguments: ["fatalError", "abort", "terminate", "segfault"])
    func crash(way: String) throws {
      let unwatched = try runUnwatched("Exiter", [way])
      let watched = try WatchedRun("Exiter", [way])
      #expect(watched.program.status == unwatched.status)
      #expect(watched.program.standardOutput == unwatched.standardOutput)
    }
  }
}
