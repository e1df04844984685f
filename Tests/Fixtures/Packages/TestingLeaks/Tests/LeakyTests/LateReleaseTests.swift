import Dispatch
import Leaky
import Testing

/// Cycles that are broken when their test is over, by somebody who has come to them meanwhile.
struct LateReleaseTests {
  @Test func inATaskThatHoldsThem() {
    let node = makeCycle()
    Task {
      try await Task.sleep(for: .milliseconds(20))
      node.other = nil
    }
  }

  @Test func inATaskThatDoesNotHoldThem() {
    let node = makeCycle()
    Task { [weak node] in
      try await Task.sleep(for: .milliseconds(20))
      node?.other = nil
    }
  }

  @Test func onAQueueThatHoldsThem() {
    let node = makeCycle()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { node.other = nil }
  }

  @Test func onAQueueThatDoesNotHoldThem() {
    let node = makeCycle()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { [weak node] in
      node?.other = nil
    }
  }

  @Test func inATaskThatUsesTheLibrary() {
    Task { await withKnownIssue(isIntermittent: true) { try await Task.sleep(for: .milliseconds(20)) } }
    makeAndRelease(Int.self)
  }

  /// Until all that is late has come.
  @Test func goesOnForAWhile() async throws {
    try await Task.sleep(for: .seconds(2))
  }

  @inline(never) @_optimize(none)
  private func makeCycle() -> Node<Int> {
    let node = Node<Int>()
    node.other = Node()
    node.other?.other = node
    return node
  }
}
