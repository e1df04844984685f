import Leaky
import Testing

/// Values of all sorts, and how they are told.
struct ArgumentTests {
  @Test(arguments: ["a b", "c"], [1, 2]) func leaks(text: String, number: Int) {
    if text == "c" && number == 2 { makeRetainCycle(Int.self) }
  }
}
