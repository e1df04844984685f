import Leaky
import Testing

/// A single test without survivors.
struct CleanTests {
  @Test func leavesNothing() async {
    makeAndRelease(Int.self)
    await Task.yield()
  }
}
