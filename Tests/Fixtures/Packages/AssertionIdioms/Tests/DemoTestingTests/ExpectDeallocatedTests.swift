import Demo
import Dispatch
import LiveObjectsTesting
import Testing

/// No other test knows it.
private enum Shelf {
  nonisolated(unsafe) static var items: [Item] = []
}

/// Work on a queue holds it.
private struct Held: @unchecked Sendable {
  let object: Item
}

/// Idiom: an object that a closure makes is gone soon after, also at the end of an asynchronous life.
@Suite struct ExpectDeallocatedTests {
  @Test func leakingObject() {
    expectDeallocated(timeout: .milliseconds(100)) {  // fails: leakingObject()
      let loader = Loader(client: ClientSpy())
      loader.load()
      return loader
    }
  }

  @Test func mendedObject() {
    expectDeallocated {
      let loader = Loader(client: ClientSpy())
      loader.loadMended()
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

  @MainActor @Test func leakingLife() async {
    await expectDeallocated(timeout: .milliseconds(100)) {  // fails: leakingLife()
      let presenter = Presenter()
      let coordinator = Coordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor @Test func mendedLife() async {
    await expectDeallocated {
      let presenter = Presenter()
      let coordinator = MendedCoordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  #if compiler(>=6.1)
    @Test(.detectsLeaks) func leakingBesideAnObjectThatGoes() {  // fails: leakingBesideAnObjectThatGoes()
      expectDeallocated {
        makeLoaderCycle()
        return Item()
      }
    }
  #endif

  @Test func nothingMade() {
    expectDeallocated { nil }  // fails: nothingMade()
  }

  @Test func errorOfTheClosure() {
    #expect(throws: DemoError()) { try expectDeallocated { throw DemoError() } }
  }
}
