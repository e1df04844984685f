import Dispatch
import Foundation
import Steady
import Testing

@Suite struct Leaks {
  @Test(arguments: 0..<8) func cycle(_ number: Int) { Parent.makeCycle() }
  @Test func overRetained() { Ticket.overRetain() }
  @Test func held() { Registry.shared.add() }
  @Test func task() async { await Gate.block() }
  @Test func stream() async { await Reader.waitForEver() }
  @Test func threads() { Threads.start() }
}

@Suite struct Clean {
  @Test(arguments: 0..<8) func groups(_ number: Int) async {
    await withTaskGroup(of: Parent.self) { group in
      for _ in 0..<20 { group.addTask { Parent() } }
    }
  }

  @Test func gate() async {
    let gate = Gate()
    let task = Task { await gate.pass() }
    while !gate.isWaiting { await Task.yield() }
    gate.open()
    await task.value
  }

  @Test func sleepingTask() { Task { try? await Task.sleep(for: .seconds(60)) } }

  @Test func lateWork() {
    let parent = Parent()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { _ = parent }
  }

  @Test func delay() async throws { try await Task.sleep(for: .milliseconds(20)) }

  #if compiler(>=6.2)
    @Test func exits() async {
      await #expect(processExitsWith: .success) {}
    }
  #endif
}
