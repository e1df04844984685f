import Dispatch
import Foundation
import Steady
import XCTest

final class LeakTests: XCTestCase {
  override class func setUp() { Threads.start() }

  func testCycle() { Parent.makeCycle() }
  func testOverRetained() { Ticket.overRetain() }
  func testHeld() { Registry.shared.add() }
  func testTask() async { await Gate.block() }
  func testStream() async { await Reader.waitForEver() }

  func testTaskOfSynchronousTest() {
    let gate = Gate()
    Task { await gate.pass() }
    while !gate.isWaiting { usleep(100) }
  }

  func testTimer() {
    let counter = Registry.shared
    let fired = expectation(description: "fired")
    let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
      counter.add()
      fired.fulfill()
    }
    RunLoop.current.add(timer, forMode: .default)
    wait(for: [fired], timeout: 10)
  }
}

/// Leaves nothing behind.
final class CleanTests: XCTestCase {
  func testGateOpens() async {
    let gate = Gate()
    let task = Task { await gate.pass() }
    while !gate.isWaiting { await Task.yield() }
    gate.open()
    await task.value
  }

  /// Is still asleep when its test ends.
  func testTaskThatSleeps() { Task { try? await Task.sleep(for: .seconds(60)) } }

  func testLateWork() {
    let parent = Parent()
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { _ = parent }
  }

  func testGroup() async {
    await withTaskGroup(of: Parent.self) { group in
      for _ in 0..<20 { group.addTask { Parent() } }
    }
  }
}
