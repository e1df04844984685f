import Leaky
import Testing

/// Cases with several arguments, by which the report names them.
struct ArgumentTests {
  @Test(arguments: ["a b", "c"], [1, 2]) func leaks(text: String, number: Int) {
    if text == "c" && number == 2 { makeRetainCycle(Int.self) }
  }
}
