import Testing

extension Exactness {
  @Suite struct BudgetTests {
    @Test("a program with ever new stacks keeps its stack traces within a budget")
    func stackTraces() throws {
      let (objects, live) = (10_000, 500)
      var watching = Watching.asDefault
      watching.budget = "4M"
      let run = try WatchedRun("StackStorm", ["\(objects)", "\(live)"], watching: watching)
      let capture = try run.capture
      #expect(capture.tracking.hasBudget && capture.tracking.droppedRecords == 0)
      #expect(capture.liveCount(of: "StackStorm.Spark") == live)
      // A quarter of the budget has room for some 4,000 of them. Without collections, all later ones are dropped.
      #expect(capture.tracking.droppedStackTraces < 3_000)
      let traced = capture.objects.filter {
        capture.types[$0.type].name == "StackStorm.Spark" && $0.stackTrace != 0
      }
      let traces = Set(traced.map { capture.stackTraces[$0.stackTrace] })
      #expect(traces.count == traced.count)
      #expect(traces.allSatisfy { $0.count > 20 })
    }

    @Test("a budget changes no count")
    func counts() throws {
      var watching = Watching.asDefault
      watching.budget = "16M"
      let capture = try WatchedRun("ThreadStorm", ["16", "8", "100000", "997"], watching: watching).capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "ThreadStorm.Survivor") == 16 * 997)
      #expect(capture.liveCount(of: "ThreadStorm.Parcel") == 0)
    }
  }
}
