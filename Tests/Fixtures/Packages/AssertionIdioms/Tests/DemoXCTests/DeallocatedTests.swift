import Demo
import LiveObjectsXCTest
import XCTest

/// Idiom: the object that a closure returns is deallocated soon after, also after asynchronous work.
final class DeallocatedTests: XCTestCase {
  func testLeaking() {
    XCTAssertDeallocated {  // fails: DeallocatedTests.testLeaking
      let loader = Loader(client: ClientSpy())
      loader.load()
      return loader
    }
  }

  func testFixed() {
    XCTAssertDeallocated {
      let loader = Loader(client: ClientSpy())
      loader.loadFixed()
      return loader
    }
  }

  func testHeldByAStatic() {
    XCTAssertDeallocated {  // fails: DeallocatedTests.testHeldByAStatic
      Registry.shared.items = [Item()]
      return Registry.shared.items[0]
    }
  }

  func testOverRetained() {
    XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testOverRetained
      let item = Item()
      _ = Unmanaged.passRetained(item)
      return item
    }
  }

  func testVictimOfACycle() {
    XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testVictimOfACycle
      makeVictim()
    }
  }

  func testReleasedLateOnTheMainQueue() {
    XCTAssertDeallocated(timeout: .seconds(30)) {
      let loader = Loader(client: ClientSpy())
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(150)) { [loader = Unchecked(loader)] in
        loader.value.loadFixed()
      }
      return loader
    }
  }

  @MainActor func testLeakingLifecycle() async {
    await XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testLeakingLifecycle
      let presenter = Presenter()
      let coordinator = Coordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor func testFixedLifecycle() async {
    await XCTAssertDeallocated {
      let presenter = Presenter()
      let coordinator = FixedCoordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor func testHistoryLifecycle() async {
    await XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testHistoryLifecycle
      let presenter = Presenter()
      let coordinator = FixedCoordinator()
      Presenter.history.items.append(coordinator)
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  func testReturningNil() {
    XCTAssertDeallocated { nil }  // fails: DeallocatedTests.testReturningNil
  }

  func testOptionalObject() throws {
    try XCTAssertDeallocated { () throws -> Item? in Item() }
  }

  func testErrorIsRethrown() {
    XCTAssertThrowsError(try XCTAssertDeallocated { throw DemoError() }) {
      XCTAssertEqual($0 as? DemoError, DemoError())
    }
  }
}
