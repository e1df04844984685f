import Sample
import Testing

@Suite struct ServiceTests {
  @Test func leaves() {
    Leaky().start()
  }

  @Test func leavesNothing() {
    _ = Tidy()
  }
}
