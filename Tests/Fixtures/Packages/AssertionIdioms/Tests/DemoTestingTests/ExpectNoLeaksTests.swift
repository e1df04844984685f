import Demo
import LiveObjects
import LiveObjectsTesting
import Testing

@Suite struct ExpectNoLeaksTests {
  @Test func leaking() {
    expectNoLeaks { makeLoaderCycle() }  // fails: leaking()
  }

  @Test func fixed() {
    let value = expectNoLeaks { () -> Int in
      makeFixedLoader()
      return 42
    }
    #expect(value == 42)
  }

  @Test func leakingAsynchronously() async {
    await expectNoLeaks {  // fails: leakingAsynchronously()
      await Task.yield()
      makeLoaderCycle()
    }
  }

  @Test func errorIsRethrown() async {
    await #expect(throws: DemoError()) {
      try await expectNoLeaks {
        await Task.yield()
        makeLoaderCycle()
        throw DemoError()
      }
    }
  }

  @Test func growthOnRequest() {
    let options = LiveObjects.LeakOptions(failing: .growth(of: ["Demo.Item"]))
    expectNoLeaks("in the demo", options: options) {  // fails: growthOnRequest()
      GrowingRegistry.items.append(Item())
    }
  }
}

private enum GrowingRegistry {
  nonisolated(unsafe) static var items: [Item] = []
}
