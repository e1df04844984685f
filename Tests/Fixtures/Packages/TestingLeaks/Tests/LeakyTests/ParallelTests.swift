import Leaky
import Testing

/// Parallel tests, each with its own type.
struct ParallelTests {
  enum A {}
  enum B {}

  @Test func leaksA() async { await leak(A.self) }
  @Test func leaksB() async { await leak(B.self) }
  @Test func leavesNothing() async { await Task.yield() }

  private func leak<Label>(_ label: Label.Type) async {
    for _ in 0..<5 {
      makeRetainCycle(label)
      await Task.yield()
    }
  }
}
