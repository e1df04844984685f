import Leaky
import Testing

/// One test alone that leaves nothing behind.
struct CleanTests {
  @Test func leavesNothing() async {
    makeAndRelease(Int.self)
    await Task.yield()
  }
}
