import Foundation
import LiveObjectsCapture
import Testing

extension Exactness {
  @Suite struct TaskStormTests {
    @Test("500 tasks that hop between threads leave exactly their survivors", arguments: Watching.all)
    func storm(watching: Watching) throws {
      let capture = try WatchedRun("TaskStorm", ["500", "1000", "7"], watching: watching).capture
      capture.expectComplete(watching: watching)
      #expect(capture.liveCount(of: "TaskStorm.Survivor") == 500 * 7)
      #expect(capture.liveCount(of: "TaskStorm.Passed") == 0)
      #expect(capture.liveCount(of: "TaskStorm.Exchange") == 0)
      // The task that runs `main` never ends, and each thread may be about to free the last one that it ran.
      let threads = ProcessInfo.processInfo.activeProcessorCount
      #expect((1...1 + threads).contains(capture.liveCount(of: "Swift.Task")))
      // The closure of `main` lives as long as the program, where the optimiser leaves it one.
      #expect(capture.contextCount <= 1)
    }
  }
}

extension Capture {
  /// Closure contexts and boxes of the program's own.
  fileprivate var contextCount: Int {
    let program = images.firstIndex { $0.path == process.executable }
    return objects.filter {
      types[$0.type].kind == .closureContextOrBox && types[$0.type].image == program
    }.count
  }
}
