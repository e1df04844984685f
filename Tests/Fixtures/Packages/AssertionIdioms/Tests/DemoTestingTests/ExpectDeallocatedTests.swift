import Demo
import Dispatch
import LiveObjectsTesting
import Testing

/// Used by one test only.
private enum Shelf {
  nonisolated(unsafe) static var items: [Item] = []
}

/// Captured by a block on a queue.
private struct Held: @unchecked Sendable {
  let object: Item
}

/// Idiom: the object that a closure returns is deallocated soon after, also after asynchronous work.
@Suite struct ExpectDeallocatedTests {
  @Test func leakingObject() {
    expectDeallocated(timeout: .milliseconds(100)) {  // fails: leakingObject()
      let loader = Loader(client: ClientSpy())
      loader.load()
      return loader
    }
  }

  @Test func fixedObject() {
    expectDeallocated {
      let loader = Loader(client: ClientSpy())
      loader.loadFixed()
      return loader
    }
  }

  @Test func objectHeldByAStatic() {
    expectDeallocated("in the demo", timeout: .milliseconds(100)) {  // fails: objectHeldByAStatic()
      Shelf.items = [Item()]
      return Shelf.items[0]
    }
  }

  @Test func objectReleasedLate() {
    expectDeallocated(timeout: .seconds(30)) {
      let held = Held(object: Item())
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
        withExtendedLifetime(held) {}
      }
      return held.object
    }
  }

  @MainActor @Test func leakingLifecycle() async {
    await expectDeallocated(timeout: .milliseconds(100)) {  // fails: leakingLifecycle()
      let presenter = Presenter()
      let coordinator = Coordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor @Test func fixedLifecycle() async {
    await expectDeallocated {
      let presenter = Presenter()
      let coordinator = FixedCoordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  #if compiler(>=6.1)
    @Test(.detectsLeaks) func leakingWithADeallocatedObject() {  // fails: leakingWithADeallocatedObject()
      expectDeallocated {
        makeLoaderCycle()
        return Item()
      }
    }
  #endif

  @Test func returningNil() {
    expectDeallocated { nil }  // fails: returningNil()
  }

  @Test func errorOfTheClosureIsRethrown() {
    #expect(throws: DemoError()) { try expectDeallocated { throw DemoError() } }
  }
}
