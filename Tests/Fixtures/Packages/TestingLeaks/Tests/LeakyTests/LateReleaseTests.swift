import Dispatch
import Leaky
import Testing

/// Cycles that a task or a queue breaks after the test's end.
struct LateReleaseTests {
  @Test func breaksACycleInATaskThatHoldsIt() {
    let node = makeCycle()
    Task {
      try await Task.sleep(for: .milliseconds(20))
      node.other = nil
    }
  }

  @Test func breaksACycleInATaskWithAWeakReference() {
    let node = makeCycle()
    Task { [weak node] in
      try await Task.sleep(for: .milliseconds(20))
      node?.other = nil
    }
  }

  @Test func breaksACycleOnAQueueThatHoldsIt() {
    let node = makeCycle()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { node.other = nil }
  }

  @Test func breaksACycleOnAQueueWithAWeakReference() {
    let node = makeCycle()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { [weak node] in
      node?.other = nil
    }
  }

  @Test func releasesInATaskThatUsesTheLibrary() {
    Task { await withKnownIssue(isIntermittent: true) { try await Task.sleep(for: .milliseconds(20)) } }
    makeAndRelease(Int.self)
  }

  /// Runs alone: the process has nothing else to do when it ends.
  @Test func isHeldByWorkThatIsDueSoon() {
    let node = makeCycle()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { node.other = nil }
  }

  /// Keeps the process running until all late releases have happened.
  @Test func waitsForLateReleases() async throws {
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
