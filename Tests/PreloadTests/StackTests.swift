import TestSupport
import Testing

/// Objects near the stack on which a program ends: a signal handler or a coroutine may run on any of its memory.
struct StackTests {
  func report(_ arguments: [String]) throws -> String {
    let tool = BuiltProducts.executable("liveobjects")
    let run = try runPreloaded(BuiltProducts.executable("Stacks"), arguments, options: "tool=\(tool)")
    #expect(run.status == .exited(0))
    return run.standardError
  }

  @Test(
    arguments: ["native", "hook", "report", "small-heap", "large-heap", "mapping"],
    [[], ["disarmed"]])
  func heldObjectsAreNoLeaks(place: String, options: [String]) throws {
    try expectNoLeaks(in: report([place] + options))
  }

  @Test func signalStackInAFrameHasLiveFramesBelow() throws {
    try expectNoLeaks(in: report(["frame"]))
  }

  /// What only a word on a stack holds is undecided.
  private func expectNoLeaks(in report: String) {
    let isUndecided = report.contains(#/^LiveObjects: [\d,]+ objects? undecided .*, nothing else leaks/#)
    #expect(isUndecided || report.hasPrefix("LiveObjects: no leaks in Stacks "), "\(report)")
  }
}
