import Demo
import LiveObjectsXCTest
import XCTest

/// Idiom: an object that a closure makes is gone soon after, also at the end of an asynchronous life.
final class DeallocatedTests: XCTestCase {
  func testLeaking() {
    XCTAssertDeallocated {  // fails: DeallocatedTests.testLeaking
      let loader = Loader(client: ClientSpy())
      loader.load()
      return loader
    }
  }

  func testMended() {
    XCTAssertDeallocated {
      let loader = Loader(client: ClientSpy())
      loader.loadMended()
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
        loader.value.loadMended()
      }
      return loader
    }
  }

  @MainActor func testLeakingLife() async {
    await XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testLeakingLife
      let presenter = Presenter()
      let coordinator = Coordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor func testMendedLife() async {
    await XCTAssertDeallocated {
      let presenter = Presenter()
      let coordinator = MendedCoordinator()
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  @MainActor func testRememberedLife() async {
    await XCTAssertDeallocated(timeout: .milliseconds(100)) {  // fails: DeallocatedTests.testRememberedLife
      let presenter = Presenter()
      let coordinator = MendedCoordinator()
      Presenter.history.items.append(coordinator)
      await presenter.present(coordinator)
      await presenter.dismiss()
      return coordinator
    }
  }

  func testNothingWasMade() {
    XCTAssertDeallocated { nil }  // fails: DeallocatedTests.testNothingWasMade
  }

  func testOptionalObject() throws {
    try XCTAssertDeallocated { () throws -> Item? in Item() }
  }

  func testErrorPasses() {
    XCTAssertThrowsError(try XCTAssertDeallocated { throw DemoError() }) {
      XCTAssertEqual($0 as? DemoError, DemoError())
    }
  }
}
