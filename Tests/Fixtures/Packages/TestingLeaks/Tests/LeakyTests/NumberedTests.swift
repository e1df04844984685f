import Dispatch
import Leaky
import Testing

/// Many parallel cases; each leaks a cycle whose type contains its number.
struct NumberedTests {
  @Test(arguments: 0..<300)
  func leaks(number: Int) async {
    await work()
    switch number % 7 {
    case 0: makeRetainCycle(numbered: number)
    case 1: await Task { makeRetainCycle(numbered: number) }.value
    case 2: await Task.detached { makeRetainCycle(numbered: number) }.value
    case 3:
      await withTaskGroup(of: Void.self) { group in group.addTask { makeRetainCycle(numbered: number) } }
    case 4:
      async let leak: Void = makeRetainCycle(numbered: number)
      await leak
    case 5:
      await Task.detached {
        async let leak: Void = makeRetainCycle(numbered: number)
        await leak
      }.value
    default: await Task.detached { await Task.detached { makeRetainCycle(numbered: number) }.value }.value
    }
    await work()
  }

  @Test(arguments: 0..<100)
  func leavesNothing(number: Int) async {
    await work()
    await work()
  }

  /// Runs on several threads, and leaves no objects behind.
  private func work() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          makeAndRelease(Int.self)
          await Task.yield()
        }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        makeAndRelease(String.self)
        continuation.resume()
      }
    }
    await Task.detached {
      makeAndRelease(Double.self)
      await Task.yield()
    }.value
  }
}
