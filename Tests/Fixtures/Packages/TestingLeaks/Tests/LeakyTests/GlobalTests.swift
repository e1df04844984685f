import Leaky
import Testing

@Test func leaksOutsideOfSuites() {
  makeRetainCycle(UInt8.self)
}
